"""Work that outlives a context window, in the daemon."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods
from interlock.daemon.policy_loader import Loaded
from interlock.daemon.row_pruner import RowPruner
from interlock.engine.pipeline import Pipeline
from interlock.errors import StoreError
from interlock.events.bounded_dict import BoundedDict
from interlock.events.event import Event
from interlock.events.hook import CallView
from interlock.events.names import EventName
from interlock.events.verdict import Verdict
from interlock.features.work.own_commands import OwnProgram
from interlock.features.work.records import RefusedError
from interlock.features.work.settings import WORK, WorkRules
from interlock.features.work.store import WorkStore
from interlock.features.work.transcript import TranscriptWindow
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.hook_kind import Window

if TYPE_CHECKING:
    from interlock.features.work.dispatch import WorkHooks
    from interlock.features.work.store import AgentNotice

CALLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE})
_MOST: Final = 1_024  # folders whose rules are remembered, and sessions


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What conditions may ask about a session that is working on an effort."""

    session: dict[str, Any]
    effort: dict[str, Any]


def facts_of(work: WorkStore, host_session_id: str, agent_id: str | None) -> Facts | None:
    """The facts; None for a session without an effort, and when the store cannot be read."""
    try:
        session = work.sessions.open_of(host_session_id, agent_id) if host_session_id else None
        if session is None or session.effort_id is None:
            return None
        effort = work.efforts.get(session.effort_id)
        task = work.tasks.get(effort.task_id)
    except (sqlite3.Error, StoreError, RefusedError):
        return None
    session_facts: dict[str, Any] = {"heartbeat_counter": session.heartbeat_counter}
    if session.context_usage is not None:  # absent when unknown, so that a condition can ask for it
        session_facts["context_usage"] = session.context_usage
    return Facts(
        session=session_facts,
        effort={
            "id": effort.id,
            "skill": effort.skill,
            "mode": effort.mode,
            "phase": effort.current_phase,
            "ordinal": effort.ordinal,
            "task": task.dir_path,
        },
    )


@final
class WorkService:
    """Sessions, efforts and agents: updated by events, queried by people and agents."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self.work: Final = WorkStore(context.connection, context.ledger)
        self.work.alive = context.agents.alive
        self.announce: Callable[[AgentNotice], object] = lambda _: None  # notifies people
        self._program: Final = OwnProgram(context.installed.program, context.places.state)
        self._hooks: WorkHooks | None = None
        self._rules: Final[BoundedDict[tuple[str, str | None], WorkRules]] = BoundedDict(_MOST)
        self._rules_of = ""  # the policy they are from
        self._without_effort: Final[BoundedDict[str, set[str | None]]] = BoundedDict(
            _MOST
        )  # by session, it and its sub-agents

    def hook_services(self) -> Mapping[type[Any], object]:
        return {WorkService: self, Window: TranscriptWindow()}

    def enrich(self, event: Event, _loaded: Loaded) -> Event:
        facts = self.facts(event)
        if facts is None:
            return event
        return msgspec.structs.replace(event, session=facts.session, effort=facts.effort)

    @property
    def hooks(self) -> WorkHooks:
        """The event handlers; loaded with the first event they handle, since most daemons see none."""
        if self._hooks is None:
            from interlock.features.work import dispatch

            services = dispatch.HandlerServices(
                work=self.work,
                redact=self._context.redactor.text,
                end_host=self._end_host,
                announce=lambda notice: self.announce(notice),  # noqa: PLW0108 - `announce` is set later
                root=lambda cwd: self._context.policies.marked(cwd) or os.path.realpath(cwd),
                afterwards=self._context.ledger.after_commit,
                program=lambda session: self._program.typed(self._context.agents.process_of(session)),
                is_program=self._program.is_at,
                skill_folders=dispatch.user_skill_folders(),
            )
            self._hooks = dispatch.WorkHooks(services, self.rules, Pipeline((), "", CLAUDE_CODE_TOOLS).view)
        return self._hooks

    def facts(self, event: Event) -> Facts | None:
        """What conditions may ask about the event's session; None if it has no effort.

        Such a session is looked up once, until it starts again or somebody changes what it works on.
        """
        session, agent = event.session_id, event.agent_id
        if event.name not in CALLS:
            self._without_effort.pop(session, None)
        elif agent in self._without_effort.get(session, ()):
            return None
        facts = facts_of(self.work, session, agent)
        if facts is None and event.name in CALLS:
            self._without_effort.setdefault(session, set()).add(agent)
        return facts

    def concerns(self, event: Event) -> bool:
        """Whether there is anything to do at an event; asked before every call, so it is one lookup."""
        return self.hooks.concerns(event)

    def handle(self, view: CallView) -> Verdict:
        """Handle an event, and say what the work has against it or wants the agent to know."""
        self._without_effort.pop(view.event.session_id, None)  # it may start something now
        verdict = self.hooks.handle(view)
        if _is_awaited() and self._context.ledger.joined:
            # Other hooks of this event take their time, and the next commit undoes a change without an entry.
            event = view.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._context.ledger.append("work", event.actor, event.project or event.cwd, body)
        return verdict

    def methods(self) -> Methods:
        """What people and agents may ask about the work, or report."""
        from interlock.features.work.rpc import work_methods

        return work_methods(self, self._context)

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Removing messages older than the ledger keeps its entries."""
        work, context = self.work, self._context
        row_pruner = RowPruner(
            context.connection, context.ledger, work.messages.forget, "old messages", work.clock
        )
        return (row_pruner.watch(context.policies.retention),)

    def forget(self) -> None:
        """Somebody changed what sessions are working on."""
        self._without_effort.clear()
        if self._hooks is not None:
            self._hooks.forget()

    def rules(self, cwd: str, project: str | None) -> WorkRules:
        """The settings in a folder, remembered until a policy changes: every call needs them."""
        policies = self._context.policies
        if self._rules_of != policies.newest:
            self._rules.clear()
            self._rules_of = policies.newest
        rules = self._rules.get((cwd, project))
        if rules is None:
            rules = self._rules[cwd, project] = WORK.get(policies.for_folder(cwd, project))
        return rules

    def _end_host(self, session: str) -> bool:
        """End the process of a session, if people chose that for a window about to be compacted."""
        pid = self._context.agents.process_of(session)
        if pid is None or pid == os.getpid():
            return False
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)
            return True
        return False


def _is_awaited() -> bool:
    """Whether this event is decided in a task of the loop, so that others may come in between."""
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False
