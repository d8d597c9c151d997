"""Builds the parts of one daemon and closes them at its end."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.call_intake import SessionContext
from interlock.daemon.caller_kind import FILE as AGENTS
from interlock.daemon.decided_calls import CallsBeforeRestart
from interlock.daemon.decision_service import DecisionService
from interlock.daemon.effects_pool.pool import PAUSE, WorkerReader
from interlock.daemon.extension import (
    Answering,
    Closing,
    DaemonContext,
    Extensions,
    ForPeople,
    OfferingToHooks,
    StandingHooks,
    Status,
    Watching,
)
from interlock.daemon.group_commit import Committer
from interlock.daemon.host_notes import Budgets, HostSelfTest
from interlock.daemon.jsonrpc import Method, Methods
from interlock.daemon.offline_files import PromptsMark, note_lost
from interlock.daemon.paths import Places
from interlock.daemon.people_only import Identities, guarded_methods, passphrase_methods
from interlock.daemon.policy_loader import Policies, guarded_of
from interlock.daemon.session_memory import HookMemory, OnceInStore, RoundsInStore, Stops
from interlock.engine.session_memory import Rounds
from interlock.errors import PluginError
from interlock.events.hook import Layer
from interlock.feature import features
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import PassphraseGate
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.host_notes import TIMEOUTS_FILE, VERSIONS_FILE
from interlock.hosts.launching import Installation, install_place
from interlock.ledger.writer import LedgerWriter
from interlock.policy.extensions import refuse_feature, use_features_of
from interlock.policy.hook_kind import HookServices, Memory
from interlock.policy.hook_variables import FILE as HOOK_ENVIRONMENT
from interlock.policy.settings.people import PEOPLE
from interlock.policy.trust import FOLDER, TrustList
from interlock.redaction.redactor import Redactor
from interlock.search.index import SearchIndexer
from interlock.store.clock import FILE as CLOCK
from interlock.store.clock import SteadyClock
from interlock.store.database import damage_of, open_or_closed
from interlock.version import __version__
from interlock.web.process import DashboardProcess

_log: Final = logging.getLogger(__name__)


class DaemonApp:
    """The kernel's parts and the services of all features, without the socket."""

    def __init__(
        self,
        places: Places,
        redactor: Redactor,
        loop: asyncio.AbstractEventLoop,
        stop: Callable[[], None],
    ) -> None:
        self._places: Final = places
        self._redactor: Final = redactor
        self._stop: Final = stop
        self._started: Final = time.monotonic()
        self._added: Final = use_features_of((places.managed_config, places.user_config))
        self.connection: Final = open_or_closed(places.database)
        self._ledger: Final = LedgerWriter(
            self.connection,
            redact=redactor.body,
            name=redactor.name,
            closed=partial(damage_of, str(places.database)),
        )
        rounds = RoundsInStore(self.connection)
        self._services: Final = HookServices(
            {Redactor: redactor, Memory: HookMemory(self.connection, self._ledger), Rounds: rounds}
        )
        self._extensions: Final = Extensions()
        self._sessions: Final = SessionContext(self._extensions)
        self._guarded: Final = guarded_of(places)
        self._reader: Final = WorkerReader(guarded=self._guarded, pause=PAUSE)
        self._once: Final = OnceInStore(self.connection)
        self._trust: Final = TrustList(places.state / FOLDER)
        self._policies: Final = self._make_policies()
        self._installed: Final = _installed(places)
        self.decider: Final = self._make_decider(Stops(rounds))
        self.committer: Final = Committer(self._ledger, self.decider, loop, stop)
        self.agents: Final = Agents(
            places.state / AGENTS, alarm=lambda reason: self.committer.note("alarm", {"reason": reason})
        )
        self._ui: DashboardProcess | None = None
        self._identities: Final = Identities(
            places.state,
            people=lambda: PEOPLE.get(self._policies.for_folder("")),
            is_dashboard=lambda pid: self._ui is not None and self._ui.is_ours(pid),
        )
        self._passphrase: Final = PassphraseGate(places.state / PASSPHRASE)
        self._add_features(loop)

    def _make_policies(self) -> Policies:
        places, ledger = self._places, self._ledger
        return Policies(
            [(Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config)],
            tools=CLAUDE_CODE_TOOLS,
            once=self._once,
            environ=os.environ,
            variables=places.state / HOOK_ENVIRONMENT,
            trust=self._trust,
            follow=PromptsMark(places.state).follow,
            guarded=self._guarded,
            read=self._reader,
            redact=self._redactor.adopt,
            alarm=lambda root, problem: ledger.append("alarm", "system", root, {"reason": problem}),
            services=self._services,
            features=self._end_for_features,
        )

    def _end_for_features(self, features: tuple[str, ...]) -> None:
        """End when a policy names other features than this daemon has; the next call starts one with them."""
        if features != self._added:
            _log.info(
                "the policy names other features; this daemon stops so that one with those features can start"
            )
            self._stop()

    def _make_decider(self, stops: Stops) -> DecisionService:
        places, installed = self._places, self._installed
        shim = [str(installed.shim), *installed.arguments("")[:-1]]  # the program hosts run for this daemon
        return DecisionService(
            self._policies,
            self._ledger,
            extensions=self._extensions,
            sessions=self._sessions,
            own_home=places.own_home,
            self_test=HostSelfTest(places.state / VERSIONS_FILE, shim),
            budgets=Budgets(places.state / TIMEOUTS_FILE),
            redactor=self._redactor,
            stops=stops,
            before=CallsBeforeRestart(self.connection, self._redactor, end=self._ledger.head.seq),
        )

    def _add_features(self, loop: asyncio.AbstractEventLoop) -> None:
        """Create the service of every feature that has one, in the order of the features table."""
        context = DaemonContext(
            connection=self.connection,
            ledger=self._ledger,
            committer=self.committer,
            policies=self._policies,
            agents=self.agents,
            sessions=self._sessions,
            identities=self._identities,
            passphrase=self._passphrase,
            redactor=self._redactor,
            places=self._places,
            installed=self._installed,
            trust=self._trust,
            guarded=self._guarded,
            tools=CLAUDE_CODE_TOOLS,
            once=self._once,
            reader=self._reader,
            clock=SteadyClock(self._places.state / CLOCK, floor=self._ledger.last_time()),
            loop=loop,
            services=self._services,
            extensions=self._extensions,
        )
        for feature in features():
            if feature.service is None:
                continue
            try:
                service = feature.call(feature.service, context)
            except PluginError as error:  # a feature of another distribution
                refuse_feature(feature.name, f"{error}, then run `interlock daemon restart`")
                continue
            self._extensions.add(service)
            self._services.offer({type(service): service})
            if isinstance(service, OfferingToHooks):
                self._services.offer(service.hook_services())
            if isinstance(service, StandingHooks):
                self._services.standing.extend(service.standing_hooks())

    def methods(self) -> Methods:
        """The JSON-RPC methods; made at the first request, to keep what they need out of a cold start."""
        note, agents, identities = self.committer.note, self.agents, self._identities
        self._ui = DashboardProcess(self._places, agents, note, identities)
        for_people: dict[str, Method] = {
            "person.people": identities.people,
            "status": self._status,
            "stop": self._end,
            **self._ui.methods,
        }
        for service in self._extensions.implementing(ForPeople):
            for_people |= service.people_methods()
        found = {
            **guarded_methods(for_people, agents, note, identities),
            **passphrase_methods(agents, self._passphrase, note, identities),
        }
        for answering in self._extensions.implementing(Answering):
            found |= answering.methods()
        return found

    def watches(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """The tasks that run beside the calls until they are cancelled."""
        index = SearchIndexer(
            self._places.database, lambda: self._ledger.head.seq, lambda: self.decider.events
        )
        return (
            index.run(),
            *(watch for service in self._extensions.implementing(Watching) for watch in service.watches()),
        )

    async def close(self) -> None:
        """Close everything; note entries that could not be written, for the next daemon to record."""
        for service in self._extensions.implementing(Closing):
            await service.close()
        if self._ui is not None:
            await self._ui.close()
        note_lost(self._places.gaps, self.committer.lost)
        for engine in self._policies.engines:
            engine.close()
        await self._reader.close()
        self.connection.close()

    def _status(self, _: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "pid": os.getpid(),
            "version": __version__,
            "revision": self._policies.newest,
            "path": os.environ.get("PATH", ""),
            "uptime": round(time.monotonic() - self._started, 3),
            "events": self.decider.events,
            "closed": damage_of(self._places.database),
            "open_passes": self.decider.open_passes + self.committer.open_passes,
            "home": dict(zip(("state", "config", "managed"), self._places.home, strict=True)),
            "home_revision": self._policies.for_folder("").revision,
        }
        for service in self._extensions.implementing(Status):
            found |= service.status()
        return found

    def _end(self, _: dict[str, Any]) -> dict[str, Any]:
        self._stop()
        return {"stopping": True, "pid": os.getpid()}


def _installed(places: Places) -> Installation:
    """Where `interlock install` puts the programs that hosts and agents run."""
    environ = {"INTERLOCK_HOME": str(places.own_home)} if places.own_home else {}
    return install_place(environ, home=Path.home(), cwd=Path("/"))
