"""The parts of one daemon, put together at its start and taken apart at its end."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from interlock.builtin.guarded import Guarded
from interlock.commitments.commitments import Commitments
from interlock.config.trust import FOLDER, TrustList
from interlock.daemon.agent_tools import AgentTools
from interlock.daemon.agents import FILE as AGENTS
from interlock.daemon.agents import Agents
from interlock.daemon.approval_desk import ApprovalDesk
from interlock.daemon.budgets import Budgets
from interlock.daemon.call_desk import CallDesk
from interlock.daemon.commitment_methods import CommitmentMethods
from interlock.daemon.committer import Committer
from interlock.daemon.decider import Decider
from interlock.daemon.first_sight import FirstSight
from interlock.daemon.gaps import note_lost
from interlock.daemon.gate_desk import GateDesk
from interlock.daemon.guarding import guarded_of
from interlock.daemon.indexing import Indexing
from interlock.daemon.keeping import Keeper
from interlock.daemon.long_reader import WorkerReader
from interlock.daemon.looking_ahead import LookingAhead
from interlock.daemon.marking import Marker
from interlock.daemon.own_entries import OwnEntries
from interlock.daemon.person import guarded_methods, person_name
from interlock.daemon.places import Places
from interlock.daemon.policies import Policies
from interlock.daemon.prompts_mark import PromptsMark
from interlock.daemon.rpc import Methods
from interlock.daemon.rules_alone import RulesAlone
from interlock.daemon.working import Working
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.launching import install_place
from interlock.hosts.seen_versions import SEEN
from interlock.hosts.waiting import FILE
from interlock.ledger.signing import FILE as SIGNING_KEY
from interlock.ledger.signing import Signer
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.redactor import Redactor
from interlock.source import Layer
from interlock.store.database import open_database
from interlock.store.once import OnceInStore
from interlock.version import __version__

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
        self.connection: Final = open_database(places.database)
        self._ledger: Final = LedgerWriter(self.connection, redact=redactor.body)
        self._calls: Final = CallDesk(self.connection, self._ledger, redact=redactor.body)
        self._calls.recover()
        trust = TrustList(places.state / FOLDER)
        self._gates: Final = GateDesk(self.connection, places, trust)
        guarded = guarded_of(places)
        self._reader: Final = WorkerReader(guarded=guarded)
        self._policies: Final = self._read_policies(trust, guarded)
        self._desk: Final = ApprovalDesk(
            self.connection,
            self._ledger,
            self._policies,
            CLAUDE_CODE_TOOLS,
            state=places.state,
            redact=redactor.call,
        )
        self._working: Final = Working()
        self.decider: Final = self._make_decider()
        self.committer: Final = Committer(
            self._ledger, self.decider, loop, stop, after=self._desk.book.committed
        )
        self.agents: Final = Agents(places.state / AGENTS)
        self._calls.alive = self.agents.alive
        self._commitments: Final = Commitments(self.connection, self._ledger, self.committer.commit)
        self._working.begin(self._commitments)
        self._gates.begin(self._policies, self._desk.work, self._commitments)
        self.keeper: Final = self._make_keeper(loop)
        self.keeper.watch()

    def _read_policies(self, trust: TrustList, guarded: Guarded) -> Policies:
        places, ledger = self._places, self._ledger
        return Policies(
            [(Layer.MANAGED, places.managed_config), (Layer.USER, places.user_config)],
            tools=CLAUDE_CODE_TOOLS,
            once=OnceInStore(self.connection),
            environ=os.environ,
            trust=trust,
            follow=PromptsMark(places.state).follow,
            guarded=guarded,
            read=self._reader,
            redact=self._redactor.adopt,
            alarm=lambda root, problem: ledger.append("alarm", "system", root, {"reason": problem}),
            lent=self._gates.lent(self._calls.book),
        )

    def _make_decider(self) -> Decider:
        places = self._places
        return Decider(
            self._policies,
            self._ledger,
            self._desk.asking,
            own_home=places.own_home,
            first_sight=FirstSight(places.state / SEEN, _installed_shim(places)),
            budgets=Budgets(places.state / FILE),
            working=self._working,
            redactor=self._redactor,
            calls=self._calls,
            stops=self._gates.stops,
        )

    def _make_keeper(self, loop: asyncio.AbstractEventLoop) -> Keeper:
        return Keeper(
            self.connection,
            self._ledger,
            self.committer,
            Signer(self._places.state / SIGNING_KEY),
            rule=lambda: self._policies.for_folder("").retention,
            loop=loop,
            carry=self._commitments.carry,
        )

    def methods(self) -> Methods:
        """Everything that may be asked on the socket beside hook calls, each with who may ask it."""
        committer, policies = self.committer, self._policies
        known = {"status": self._status, "stop": self._end, **self.keeper.methods}
        known |= self._calls.methods(person_name(), committer.commit)
        of_commitments = CommitmentMethods(
            self._commitments, policies, self.agents, self._working, self._gates.reviews
        )
        return {
            **guarded_methods(known, self.agents, committer.note),
            **self._desk.open(committer, self.agents),
            **of_commitments.methods,
            **self._tools(of_commitments).methods,
        }

    def _tools(self, of_commitments: CommitmentMethods) -> AgentTools:
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
            settings=lambda: policies.for_folder("").checkpoints,
            head=lambda: ledger.head.seq,
        )
        return (
            Indexing(self._places.database, lambda: ledger.head.seq, lambda: decider.events).run(),
            marker.watch(),
            self._calls.watch(lambda: policies.for_folder("").retention),
            self._gates.scores.run(lambda: ledger.head.seq),
        )

    async def close(self) -> None:
        """End everything; what could not be recorded is left for the next daemon to tell."""
        await self._desk.close()
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
            "uptime": round(time.monotonic() - self._started, 3),
            "events": self.decider.events,
            "open_passes": self.decider.open_passes,
        }

    def _end(self, _: dict[str, Any]) -> dict[str, Any]:
        self._stop()
        return {"stopping": True, "pid": os.getpid()}


def _installed_shim(places: Places) -> list[str]:
    """The program hosts run for this daemon, where `interlock install` puts it."""
    environ = {"INTERLOCK_HOME": str(places.own_home)} if places.own_home else {}
    installed = install_place(environ, home=Path.home(), cwd=Path("/"))
    return [str(installed.shim), *installed.arguments("")[:-1]]
