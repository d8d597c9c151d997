"""Everything that work which outlives a context window needs in the daemon, put together in one place."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.jsonrpc import Method, Methods
from interlock.daemon.people_only import person_name
from interlock.daemon.policy_loader import Policies
from interlock.daemon.row_pruner import EVERY_SECONDS, Rule, Tidying
from interlock.daemon.session_context import Working
from interlock.engine.pipeline import Revision
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.features.work.efforts.condition_facts import CALLS, Facts, facts_of
from interlock.features.work.own_program import OwnProgram
from interlock.features.work.settings import WORK, WorkRules
from interlock.features.work.store import WorkStore
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.writer import LedgerWriter
from interlock.policy.protected_paths import Guarded

if TYPE_CHECKING:
    from interlock.features.work.agent_notice import AgentNotice
    from interlock.features.work.dispatch import WorkHooks

_log: Final = logging.getLogger(__name__)
_MOST: Final = 1_024  # folders whose rules are remembered, and sessions


@final
class WorkDesk:
    """Lent to hooks when policies are loaded, and given the rooms it asks once they are there."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        program: OwnProgram,
        *,
        redact: Callable[[str], str] = str,
    ) -> None:
        self.work: Final = WorkStore(connection, ledger)
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._program: Final = program
        self._redact: Final = redact
        self._policies: Policies | None = None
        self._agents: Agents | None = None
        self._announce: Callable[[AgentNotice], object] = lambda _: None
        self._afterwards: Final[list[Callable[[], None]]] = []
        self._made: WorkHooks | None = None
        self._rules: Final[dict[tuple[str, str | None], WorkRules]] = {}
        self._rules_of = ""  # the policy they are from
        self._at_nothing: Final[dict[str, set[str | None]]] = {}  # sessions and sub-agents without an effort

    def begin(self, policies: Policies, agents: Agents, announce: Callable[[AgentNotice], object]) -> None:
        """From now on there are policies to ask, agents to know and people to tell."""
        self._policies, self._agents, self._announce = policies, agents, announce
        self.work.alive = agents.alive

    @property
    def hooks(self) -> WorkHooks:
        """The handlers; loaded with the first event that is theirs, for most daemons have none."""
        if self._made is None:
            from interlock.features.work.dispatch import WorkHooks  # noqa: PLC0415 - as above
            from interlock.features.work.event_context import HandlerServices  # noqa: PLC0415 - as just said
            from interlock.features.work.skills.files import PLACES  # noqa: PLC0415 - as above

            services = HandlerServices(
                work=self.work,
                redact=self._redact,
                end_host=self._end_host,
                announce=self._announce,
                root=self._root,
                afterwards=self._afterwards.append,
                program=self._typed,
                is_program=self._program.is_at,
                skill_folders=tuple(str(Path.home() / place) for place in PLACES),
            )
            self._made = WorkHooks(services, self.rules, Revision((), "", CLAUDE_CODE_TOOLS).view)
        return self._made

    def facts(self, event: Event) -> Facts | None:
        """What conditions may ask about the work of a session; None for one that is at none.

        Such a session is asked about once, until it starts anew or somebody changes what sessions are at.
        """
        session, agent = event.session_id, event.agent_id
        if event.name not in CALLS:
            self._at_nothing.pop(session, None)
        elif agent in self._at_nothing.get(session, ()):
            return None
        found = facts_of(self.work, session, agent)
        if found is None and event.name in CALLS:
            if len(self._at_nothing) >= _MOST:
                self._at_nothing.clear()
            self._at_nothing.setdefault(session, set()).add(agent)
        return found

    def concerns(self, event: Event) -> bool:
        """Whether there is anything to do at an event."""
        return self._policies is not None and self.hooks.concerns(event)

    def seen(self, view: CallView, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        """Take notice of an event, and say what the work has against it or wants told."""
        if self._policies is None:
            return NO_OPINION
        self._at_nothing.pop(view.event.session_id, None)  # it may begin something now
        said = self.hooks.seen(view)
        if _waits() and self._ledger.joined:
            # Other hooks of this event take their time, and what is changed without an entry is undone by the
            # next commit that has none.
            event = view.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._ledger.append("work", event.actor, event.project or event.cwd, body)
        return said

    def methods(
        self,
        policies: Policies,
        agents: Agents,
        *,
        guarded: Guarded,
        working: Working,
        commit: Callable[[], bool],
    ) -> Methods:
        """What people and agents may ask about the work, or report of it."""
        from interlock.features.work.efforts.next_worker import NextWorker  # noqa: PLC0415 - only requests need it
        from interlock.features.work.rpc import WorkMethods  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_callers import WorkCallers  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_hooks import WorkHookMethods  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_views import WorkViews  # noqa: PLC0415 - as above

        person = person_name()
        callers = WorkCallers(self.work, agents, policies, guarded=guarded, person=person, working=working)
        next_worker = NextWorker(self.work, agents, policies, working)
        changes = WorkMethods(self.work, self._ledger, callers, commit, next_worker).methods
        hooks = WorkHookMethods(self, policies, agents, self._ledger, person=person, commit=commit)
        return {
            **{name: self._forgetting(method) for name, method in changes.items()},
            **WorkViews(self.work, callers).methods,
            **hooks.methods,
        }

    def _forgetting(self, method: Method) -> Method:
        """A method after which sessions may be at work on something else."""

        def answered(params: dict[str, Any]) -> Any:
            try:
                return method(params)
            finally:
                self.forget()

        return answered

    async def watch(self, rule: Rule, seconds: float = EVERY_SECONDS) -> None:
        """Remove what was said longer ago than the ledger keeps its entries, until cancelled."""
        work = self.work
        tidying = Tidying(self._connection, self._ledger, work.messages.forget, "old messages", work.clock)
        await tidying.watch(rule, seconds)

    def forget(self) -> None:
        """Somebody changed what sessions are at work on."""
        self._at_nothing.clear()
        if self._made is not None:
            self._made.forget()

    def rules(self, cwd: str, project: str | None) -> WorkRules:
        """What is in force in a folder; asked for at every call, and so remembered till a policy changes."""
        policies = self._policies
        if policies is None:
            return WorkRules()
        if self._rules_of != policies.newest or len(self._rules) > _MOST:
            self._rules.clear()
            self._rules_of = policies.newest
        found = self._rules.get((cwd, project))
        if found is None:
            found = self._rules[cwd, project] = WORK.of(policies.for_folder(cwd, project))
        return found

    def _root(self, cwd: str) -> str:
        """The project a folder belongs to; the folder itself where nothing marks one."""
        marked = self._policies.marked(cwd) if self._policies else None
        return marked or os.path.realpath(cwd)

    def committed(self, lasting: bool) -> None:
        """Write the files that go with what was changed, or leave them when that was undone."""
        acts, self._afterwards[:] = list(self._afterwards), []
        for act in acts if lasting else ():
            try:
                act()
            except InterlockError as error:
                _log.warning("%s", error)

    def _typed(self, session: str) -> str:
        return self._program.typed(self._agents.process_of(session) if self._agents else None)

    def _end_host(self, session: str) -> bool:
        """End the process of a session, as people chose for a window that would be compacted."""
        pid = self._agents.process_of(session) if self._agents else None
        if pid is None or pid == os.getpid():
            return False
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
            return True
        return False


def _waits() -> bool:
    """Whether this event is decided over several turns of the loop; at once, nothing comes in between."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False
