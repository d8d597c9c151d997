"""The parts of one daemon, put together at its start and taken apart at its end."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from interlock.builtin_hooks.self_protection.daemon_paths import guarded_of
from interlock.builtin_hooks.self_protection.protected_paths import Guarded
from interlock.builtin_hooks.state_store import HookMemory
from interlock.daemon.agent_file import FILE as AGENTS
from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind
from interlock.daemon.calls_before_restart import AnsweredBefore
from interlock.daemon.decision_service import Decider
from interlock.daemon.effects_pool.pool import PAUSE, WorkerReader
from interlock.daemon.group_commit import Committer
from interlock.daemon.host_self_test import FirstSight
from interlock.daemon.identity import Identities
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.offline_gaps import note_lost
from interlock.daemon.paths import Places
from interlock.daemon.people_only import guarded_methods, person_name, proving
from interlock.daemon.policy_loader import Policies
from interlock.daemon.prompt_marker import PromptsMark
from interlock.daemon.session_context import Working
from interlock.daemon.time_budget import Budgets
from interlock.events.source import Layer
from interlock.features.approvals.service import ApprovalDesk
from interlock.features.commitments.commitments import Commitments
from interlock.features.fleet.service import FleetDesk
from interlock.features.gates.service import GateDesk
from interlock.features.ledger_tools.auto_checkpoint import Marker
from interlock.features.ledger_tools.rpc import Keeper
from interlock.features.notifications.service import HookDesk
from interlock.features.receipts.service import CallDesk
from interlock.features.team_ledger.settings import TEAM_LEDGER
from interlock.features.team_ledger.shipper_process import Shipping
from interlock.features.work.own_program import OwnProgram
from interlock.features.work.service import WorkDesk
from interlock.features.work.settings import WORK
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.host_notes import TIMEOUTS_FILE, VERSIONS_FILE
from interlock.hosts.launching import Installation, install_place
from interlock.ledger.ends import read_base
from interlock.ledger.signing import FILE as SIGNING_KEY
from interlock.ledger.signing import Signer
from interlock.ledger.writer import LedgerWriter
from interlock.policy.hook_variables import FILE as HOOK_ENVIRONMENT
from interlock.policy.settings.ledger import CHECKPOINTS
from interlock.policy.settings.people import PEOPLE
from interlock.policy.trust.trust import FOLDER, TrustList
from interlock.redaction.redactor import Redactor
from interlock.search.indexer import SearchIndexer
from interlock.store.clock import FILE as CLOCK
from interlock.store.clock import SteadyClock
from interlock.store.damage import damage_of
from interlock.store.database import open_or_closed
from interlock.store.once import OnceInStore
from interlock.version import __version__

if TYPE_CHECKING:
    from interlock.features.commitments.rpc import CommitmentMethods
    from interlock.features.mcp.rpc import AgentTools
    from interlock.web.process import UiDesk

Watch = Coroutine[Any, Any, None]


class House:
    """What decides, records, asks people and keeps; who listens on the socket is not its matter."""

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
        self.connection: Final = open_or_closed(places.database)
        self._ledger: Final = LedgerWriter(
            self.connection,
            redact=redactor.body,
            name=redactor.name,
            closed=lambda: damage_of(places.database),
        )
        self._calls: Final = CallDesk(self.connection, self._ledger, redact=redactor.body)
        self._calls.recover()
        trust = TrustList(places.state / FOLDER)
        self._gates: Final = GateDesk(self.connection, self._ledger, places, trust)
        self._work: Final = WorkDesk(
            self.connection,
            self._ledger,
            OwnProgram(_installed(places).program, places.state),
            redact=redactor.text,
        )
        self._hook_desk: Final = HookDesk(places, redactor)
        guarded = guarded_of(places)
        self._reader: Final = WorkerReader(guarded=guarded, pause=PAUSE)
        self._policies: Final = self._read_policies(trust, guarded)
        self._desk: Final = ApprovalDesk(
            self.connection,
            self._ledger,
            self._policies,
            CLAUDE_CODE_TOOLS,
            state=places.state,
            redact=redactor.call,
            clock=SteadyClock(places.state / CLOCK, floor=self._ledger.last_time()),
        )
        self._working: Final = Working()
        self.decider: Final = self._make_decider()
        self.committer: Final = Committer(self._ledger, self.decider, loop, stop, after=self._committed)
        self.agents: Final = Agents(
            places.state / AGENTS, alarm=lambda reason: self.committer.note("alarm", {"reason": reason})
        )
        self._calls.alive = self.agents.alive
        self._fleet: Final = FleetDesk(self._work.work, self.agents)
        self._work.begin(self._policies, self.agents, self._fleet.announce)
        self._hook_desk.open(self.agents, self.committer.note)
        self._commitments: Final = Commitments(self.connection, self._ledger, self.committer.commit)
        self._commitments.end_sessions(self.agents.alive)
        self._ledger.work_of = self._commitments.held_by
        self._working.begin(self._commitments, self._work.facts)
        self._gates.begin(self._policies, self._desk.work, self._commitments)
        self._shipping: Final = self._make_shipping()
        self.keeper: Final = self._make_keeper(loop)
        self.keeper.watch()
        self._identities: Final = Identities(
            places.state, lambda: PEOPLE.of(self._policies.for_folder("")), self._is_dashboard
        )
        self._of_people: Final = {
            **self._desk.open(self.committer, self.agents, self._identities),
            **self._fleet.open(self.committer.note, self.committer.commit),
        }
        self._ui: UiDesk | None = None

    def _is_dashboard(self, pid: int) -> bool:
        return self._ui is not None and self._ui.is_ours(pid)

    def _committed(self, lasting: bool) -> None:
        self._desk.book.committed(lasting)
        self._work.committed(lasting)

    def _read_policies(self, trust: TrustList, guarded: Guarded) -> Policies:
        places, ledger = self._places, self._ledger
        return Policies(
            [(Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config)],
            tools=CLAUDE_CODE_TOOLS,
            once=OnceInStore(self.connection),
            environ=os.environ,
            variables=places.state / HOOK_ENVIRONMENT,
            trust=trust,
            follow=PromptsMark(places.state).follow,
            guarded=guarded,
            read=self._reader,
            redact=self._redactor.adopt,
            alarm=lambda root, problem: ledger.append("alarm", "system", root, {"reason": problem}),
            services=self._hook_desk.services(
                self._gates.services(self._calls.book, HookMemory(self.connection, ledger), self._work)
            ),
        )

    def _make_decider(self) -> Decider:
        places = self._places
        return Decider(
            self._policies,
            self._ledger,
            self._desk.asking,
            own_home=places.own_home,
            first_sight=FirstSight(places.state / VERSIONS_FILE, _installed_shim(places)),
            budgets=Budgets(places.state / TIMEOUTS_FILE),
            working=self._working,
            redactor=self._redactor,
            calls=self._calls,
            stops=self._gates.stops,
            edges=self._gates.cancelling.settled,
            before=AnsweredBefore(self.connection, self._redactor, end=self._ledger.head.seq),
        )

    def _make_keeper(self, loop: asyncio.AbstractEventLoop) -> Keeper:
        return Keeper(
            self.connection,
            self._ledger,
            self.committer,
            Signer(self._places.state / SIGNING_KEY),
            rule=self._policies.retention,
            loop=loop,
            carry=self._carry,
            shipped=self._shipping.shipped,
        )

    def _carry(self, last: int) -> None:
        from interlock.features.commitments.recorded_entries import Recorded  # noqa: PLC0415 - nothing goes in the first minutes

        self._commitments.carry(last, Recorded(self._places.database, self._redactor).going)

    def _make_shipping(self) -> Shipping:
        return Shipping(
            self._places,
            settings=lambda: TEAM_LEDGER.of(self._policies.for_folder("")),
            head=lambda: self._ledger.head.seq,
            note=self.committer.note,
            ledger=lambda: read_base(self.connection).ledger,
        )

    def methods(self) -> Methods:
        """Everything that may be asked on the socket beside hook calls, each with who may ask it.

        Asked for with the first request, so that what only requests need is no part of a cold start.
        """
        from interlock.features.commitments.recorded_entries import Recorded  # noqa: PLC0415 - as above
        from interlock.features.commitments.rpc import CommitmentMethods  # noqa: PLC0415 - as just said
        from interlock.features.commitments.run_validators import ValidatorRunner  # noqa: PLC0415 - as above
        from interlock.web.process import UiDesk  # noqa: PLC0415 - as above

        committer, policies = self.committer, self._policies
        known = {
            "person.people": self._identities.people,
            "status": self._status,
            "stop": self._end,
            **self.keeper.methods,
        }
        known |= self._calls.methods(person_name(), committer.commit)
        known |= self._gates.cancelling.methods(person_name(), committer.commit)
        self._ui = UiDesk(self._places, self.agents, committer.note, self._identities)
        known |= self._ui.methods
        of_commitments = CommitmentMethods(
            self._commitments,
            policies,
            self.agents,
            self._working,
            self._gates.reviews,
            validating=ValidatorRunner(os.environ, self._gates.ground.is_trusted),
            recorded=Recorded(self._places.database, self._redactor),
            commit=committer.commit,
            identities=self._identities,
        )
        return {
            **guarded_methods(known, self.agents, committer.note, self._identities),
            **proving(self.agents, self._desk.gate, committer.note, self._identities),
            **self._calls.of_programs(committer.commit, self._no_program),
            **self._of_people,
            **of_commitments.methods,
            **self._tools(of_commitments).methods,
            **self._of_work(),
        }

    def _no_program(self, pid: int) -> str | None:
        """Why a process may not record calls by itself: those of a host's agent come from its hooks."""
        agent = self.agents.standing(pid).kind is Kind.AGENT
        return "this process belongs to an agent whose hooks record its calls" if agent else None

    def _of_work(self) -> Methods:
        return self._work.methods(
            self._policies,
            self.agents,
            guarded=guarded_of(self._places),
            working=self._working,
            commit=self.committer.commit,
        )

    def _tools(self, of_commitments: CommitmentMethods) -> AgentTools:
        from interlock.engine.rules_only import RulesAlone  # noqa: PLC0415 - as above
        from interlock.features.mcp.dry_run import LookingAhead  # noqa: PLC0415 - as above
        from interlock.features.mcp.ledger_search import OwnEntries  # noqa: PLC0415 - as above
        from interlock.features.mcp.rpc import AgentTools  # noqa: PLC0415 - as in `methods`

        rules = RulesAlone(CLAUDE_CODE_TOOLS, OnceInStore(self.connection), self._reader, self._calls.book)
        ahead = LookingAhead(rules, self._desk.tickets, CLAUDE_CODE_TOOLS, self.committer.commit)
        entries = OwnEntries(self._places.database, self._redactor)
        return AgentTools(
            of_commitments, self._policies, self.agents, self._working, ahead=ahead, entries=entries
        )

    def watches(self) -> tuple[Watch, ...]:
        """What goes on beside the calls, to be cancelled at the end."""
        policies, ledger, decider = self._policies, self._ledger, self.decider
        marker = Marker(
            self.connection,
            lambda: self.keeper.checkpoint({}),
            self.committer,
            settings=lambda: CHECKPOINTS.of(policies.for_folder("")),
            head=lambda: ledger.head.seq,
        )
        return (
            SearchIndexer(self._places.database, lambda: ledger.head.seq, lambda: decider.events).run(),
            marker.watch(),
            self._shipping.watch(),
            self._calls.watch(policies.retention),
            self._work.watch(policies.retention),
            self._fleet.watch(lambda: WORK.of(policies.for_folder("")).notify, self._commitments.end_session),
            self._gates.scores.run(lambda: ledger.head.seq),
            self._gates.remedies.run(lambda: ledger.head.seq),
        )

    async def close(self) -> None:
        """End everything; what could not be recorded is left for the next daemon to tell."""
        await self._desk.close()
        await self._fleet.close()
        await self._hook_desk.close()
        if self._ui is not None:
            await self._ui.close()
        note_lost(self._places.gaps, self.committer.lost)
        for engine in self._policies.engines:
            engine.close()
        await self._reader.close()
        self.connection.close()

    def _status(self, _: dict[str, Any]) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "version": __version__,
            "revision": self._policies.newest,
            "path": os.environ.get("PATH", ""),  # where hooks find their programs
            "uptime": round(time.monotonic() - self._started, 3),
            "events": self.decider.events,
            "closed": damage_of(self._places.database),
            "open_passes": self.decider.open_passes + self.committer.open_passes,
            "team_ledger": self._shipping.status(),
            "home": dict(zip(("state", "config", "managed"), self._places.home, strict=True)),
            "home_revision": self._policies.for_folder("").revision,
        }

    def _end(self, _: dict[str, Any]) -> dict[str, Any]:
        self._stop()
        return {"stopping": True, "pid": os.getpid()}


def _installed(places: Places) -> Installation:
    """Where `interlock install` puts what hosts and agents run for this daemon."""
    environ = {"INTERLOCK_HOME": str(places.own_home)} if places.own_home else {}
    return install_place(environ, home=Path.home(), cwd=Path("/"))


def _installed_shim(places: Places) -> list[str]:
    """The program hosts run for this daemon."""
    installed = _installed(places)
    return [str(installed.shim), *installed.arguments("")[:-1]]
