"""Work that outlives a context window, in the daemon."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import msgspec

from interlock.builtin_hooks.loops.context_window import Window
from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Method, Methods
from interlock.daemon.people_only import person_name
from interlock.daemon.policy_loader import Loaded
from interlock.daemon.row_pruner import Tidying
from interlock.engine.pipeline import Pipeline
from interlock.errors import InterlockError, StoreError
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.verdict import Verdict
from interlock.features.work.api import WorkBook
from interlock.features.work.errors import RefusedError
from interlock.features.work.own_commands import OwnProgram
from interlock.features.work.records import Effort, Session
from interlock.features.work.sessions.usage import TranscriptWindow
from interlock.features.work.settings import WORK, WorkRules
from interlock.features.work.store import WorkStore
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS

if TYPE_CHECKING:
    from interlock.features.work.agents import AgentNotice
    from interlock.features.work.dispatch import WorkHooks


CALLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE})


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Of a session that is at work on an effort."""

    session: dict[str, Any]
    effort: dict[str, Any]


def facts_of(work: WorkStore, host_session_id: str, agent_id: str | None) -> Facts | None:
    """The facts; None for a session that is at work on nothing, and where nothing can be read."""
    try:
        session = work.sessions.open_of(host_session_id, agent_id) if host_session_id else None
        if session is None or session.effort_id is None:
            return None
        effort = work.efforts.get(session.effort_id)
        task = work.tasks.get(effort.task_id)
    except (sqlite3.Error, StoreError, RefusedError):
        return None
    return Facts(session=_of_session(session), effort=_of_effort(effort, task.dir_path))


def _of_session(session: Session) -> dict[str, Any]:
    """Without what is not known, so that a condition can ask whether it is."""
    known: dict[str, Any] = {"heartbeat_counter": session.heartbeat_counter}
    return known if session.context_usage is None else {**known, "context_usage": session.context_usage}


def _of_effort(effort: Effort, task: str) -> dict[str, Any]:
    return {
        "id": effort.id,
        "skill": effort.skill,
        "mode": effort.mode,
        "phase": effort.current_phase,
        "ordinal": effort.ordinal,
        "task": task,
    }


_log: Final = logging.getLogger(__name__)
_MOST: Final = 1_024  # folders whose rules are remembered, and sessions


@final
class WorkService:
    """Sessions, efforts and agents: told of every event that is theirs, asked by people and agents."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._ledger: Final = context.ledger
        self._policies: Final = context.policies
        self._agents: Final = context.agents
        self.work: Final = WorkStore(context.connection, context.ledger)
        self.work.alive = context.agents.alive
        self.announce: Callable[[AgentNotice], object] = lambda _: None  # tells people
        self._program: Final = OwnProgram(context.installed.program, context.places.state)
        self._afterwards: Final[list[Callable[[], None]]] = []
        self._made: WorkHooks | None = None
        self._rules: Final[dict[tuple[str, str | None], WorkRules]] = {}
        self._rules_of = ""  # the policy they are from
        self._at_nothing: Final[dict[str, set[str | None]]] = {}  # sessions and sub-agents without an effort

    def hook_services(self) -> Mapping[type[Any], object]:
        """Itself, and how full a window is."""
        return {WorkBook: self, Window: TranscriptWindow()}

    def enrich(self, event: Event, _loaded: Loaded) -> Event:
        """The event with the session and the effort it belongs to."""
        facts = self.facts(event)
        if facts is None:
            return event
        return msgspec.structs.replace(event, session=facts.session, effort=facts.effort)

    @property
    def hooks(self) -> WorkHooks:
        """The handlers; loaded with the first event that is theirs, for most daemons have none."""
        if self._made is None:
            from interlock.features.work.dispatch import WorkHooks  # noqa: PLC0415 - as above
            from interlock.features.work.event_context import HandlerServices  # noqa: PLC0415 - as just said
            from interlock.features.work.skills.files import PLACES  # noqa: PLC0415 - as above

            services = HandlerServices(
                work=self.work,
                redact=self._context.redactor.text,
                end_host=self._end_host,
                announce=lambda notice: self.announce(notice),  # noqa: PLW0108 - whoever tells people comes later
                root=self._root,
                afterwards=self._afterwards.append,
                program=self._typed,
                is_program=self._program.is_at,
                skill_folders=tuple(str(Path.home() / place) for place in PLACES),
            )
            self._made = WorkHooks(services, self.rules, Pipeline((), "", CLAUDE_CODE_TOOLS).view)
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
        return self.hooks.concerns(event)

    def seen(self, view: CallView, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        """Take notice of an event, and say what the work has against it or wants told."""
        self._at_nothing.pop(view.event.session_id, None)  # it may begin something now
        said = self.hooks.seen(view)
        if _waits() and self._ledger.joined:
            # Other hooks of this event take their time, and what is changed without an entry is undone by the
            # next commit that has none.
            event = view.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._ledger.append("work", event.actor, event.project or event.cwd, body)
        return said

    def methods(self) -> Methods:
        """What people and agents may ask about the work, or report of it."""
        from interlock.features.work.efforts.next_worker import NextWorker  # noqa: PLC0415 - only requests need it
        from interlock.features.work.rpc import WorkMethods  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_callers import WorkCallers  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_hooks import WorkHookMethods  # noqa: PLC0415 - as above
        from interlock.features.work.rpc_views import WorkViews  # noqa: PLC0415 - as above

        context, agents, policies, person = self._context, self._agents, self._policies, person_name()
        commit = context.committer.commit
        callers = WorkCallers(
            self.work, agents, policies, guarded=context.guarded, person=person, sessions=context.sessions
        )
        next_worker = NextWorker(self.work, agents, policies, context.sessions)
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

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Removing what was said longer ago than the ledger keeps its entries."""
        work, context = self.work, self._context
        tidying = Tidying(
            context.connection, context.ledger, work.messages.forget, "old messages", work.clock
        )
        return (tidying.watch(context.policies.retention),)

    def forget(self) -> None:
        """Somebody changed what sessions are at work on."""
        self._at_nothing.clear()
        if self._made is not None:
            self._made.forget()

    def rules(self, cwd: str, project: str | None) -> WorkRules:
        """What is in force in a folder; asked for at every call, and so remembered till a policy changes."""
        policies = self._policies
        if self._rules_of != policies.newest or len(self._rules) > _MOST:
            self._rules.clear()
            self._rules_of = policies.newest
        found = self._rules.get((cwd, project))
        if found is None:
            found = self._rules[cwd, project] = WORK.of(policies.for_folder(cwd, project))
        return found

    def _root(self, cwd: str) -> str:
        """The project a folder belongs to; the folder itself where nothing marks one."""
        marked = self._policies.marked(cwd)
        return marked or os.path.realpath(cwd)

    def after_commit(self, *, lasting: bool) -> None:
        """Write the files that go with what was changed, or leave them when that was undone."""
        acts, self._afterwards[:] = list(self._afterwards), []
        for act in acts if lasting else ():
            try:
                act()
            except InterlockError as error:
                _log.warning("%s", error)

    def _typed(self, session: str) -> str:
        return self._program.typed(self._agents.process_of(session))

    def _end_host(self, session: str) -> bool:
        """End the process of a session, as people chose for a window that would be compacted."""
        pid = self._agents.process_of(session)
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
