"""One event on its way through a handler, and what the daemon remembers of its agent."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

import msgspec

from interlock.events.bounded_dict import BoundedDict
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.work.own_commands import OwnCommand
from interlock.features.work.phase_rules import FiredRule
from interlock.features.work.records import Agent, Effort, Ids, Project, Session, Task
from interlock.features.work.settings import WorkRules
from interlock.features.work.store import AgentNotice, NoticeKind, WorkStore
from interlock.features.work.transcript import UsageMemory
from interlock.hosts.launching import PROGRAM

_STEP: Final = 0.01  # of the window; less is not a news


@dataclass
class _SessionMemory:
    usage: float = 0.0
    fired: frozenset[str] = frozenset()
    waited: int = 0


class Advice:
    """What an agent was told, by session; what is forgotten is said once more."""

    def __init__(self) -> None:
        self._sessions: Final[BoundedDict[int, _SessionMemory]] = BoundedDict(4_096)

    def is_fuller(self, session_id: int, usage: float) -> bool:
        """Whether the window has filled up since this was said last; it counts as said now."""
        memory = self._memory(session_id)
        if usage < memory.usage + _STEP:
            return False
        memory.usage = usage
        return True

    def new(self, session_id: int, fired: tuple[FiredRule, ...]) -> tuple[FiredRule, ...]:
        """The rules that did not hold at the last call."""
        if not fired and session_id not in self._sessions:
            return ()
        memory = self._memory(session_id)
        new = tuple(rule for rule in fired if rule.rule_id not in memory.fired)
        memory.fired = frozenset(rule.rule_id for rule in fired)
        return new

    def unread_calls(self, session_id: int) -> int:
        """How many calls were made while instructions were unread."""
        memory = self._sessions.get(session_id)
        return memory.waited if memory else 0

    def set_unread_calls(self, session_id: int, calls: int) -> None:
        if calls or session_id in self._sessions:
            self._memory(session_id).waited = calls

    def _memory(self, session_id: int) -> _SessionMemory:
        return self._sessions.setdefault(session_id, _SessionMemory())


Text = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class HandlerServices:
    """What handlers are lent for as long as the daemon lives."""

    work: WorkStore
    redact: Text = str  # takes secrets out of what is kept
    end_host: Callable[[str], bool] = lambda _: False  # ends a session's process, where people say so
    announce: Callable[[AgentNotice], object] = lambda _: None  # tells people
    usage: UsageMemory = field(default_factory=UsageMemory)
    advice: Advice = field(default_factory=Advice)
    skill_folders: tuple[str, ...] = ()  # of the user; a project has its own
    root: Callable[[str], str] = os.path.realpath  # the project a folder belongs to
    afterwards: Callable[[Callable[[], None]], object] = lambda act: act()  # once changes are lasting
    program: Callable[[str], str] = lambda _: PROGRAM  # how the agent of a session types our command
    is_program: Callable[[str], bool] = lambda _: False  # whether a path leads to it
    effort_calls: BoundedDict[tuple[str, str], Answer] = field(  # by session and the host's id of the call
        default_factory=lambda: BoundedDict(1_024)
    )


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A handler's result, and what of it the agent is told."""

    result: JsonObject = field(default_factory=dict)  # what is to be told beside `REQUESTS[…].answer`
    context: str | None = None  # for the model
    deny: str | None = None  # why the call must not happen
    begins: bool = False  # the session may be at work on something else now


@dataclass(frozen=True, kw_only=True)
class EventContext:
    """One event; rows are looked up when they are first asked for."""

    event: Event
    ids: Ids
    agent_id: str  # `AGENT_ID`, or the host's session id
    named: bool = False  # whether the agent has a name of its own
    rules: WorkRules
    services: HandlerServices
    command: Callable[[], OwnCommand | None] = lambda: None  # the call as a command of ours, if it is one

    def text(self, name: str) -> str:
        """A field of this kind of event; empty where the host left it out, which stops nobody."""
        value = self.event.extra.get(name)
        return value if isinstance(value, str) else ""

    @property
    def tool(self) -> ToolCall:
        return self.event.tool or ToolCall("", {})

    @property
    def transcript_path(self) -> str:
        """The file the host writes the session down in; empty where it does not say."""
        return self.event.transcript_path or ""

    @property
    def turn_failed(self) -> bool:
        return self.event.name == EventName.STOP_FAILURE

    @property
    def work(self) -> WorkStore:
        return self.services.work

    @cached_property
    def session(self) -> Session | None:
        number = self.ids.session_id
        return None if number is None else self.work.sessions.get(number)

    @cached_property
    def effort(self) -> Effort | None:
        """The effort this session is at work on; one of the project's that is not its own counts as none."""
        number = self.session.effort_id if self.session else None
        return None if number is None else self.work.efforts.get(number)

    @cached_property
    def task(self) -> Task | None:
        return self.work.tasks.get(self.effort.task_id) if self.effort else None

    @cached_property
    def project(self) -> Project | None:
        number = self.ids.project_id
        return None if number is None else self.work.projects.get(number)

    @cached_property
    def agent(self) -> Agent | None:
        return self.work.agents.get(self.agent_id)

    @property
    def program(self) -> str:
        """How this agent types our command line."""
        return self.services.program(self.event.session_id)

    @property
    def label(self) -> str | None:
        """What people call the agent: the folder it works in, unless it has a name."""
        return self.agent_id if self.named else PurePath(self.event.project or self.event.cwd).name or None

    def block_after(self, effort: Effort) -> int:
        """After how many calls without a word the next one waits; the effort's own number wins."""
        limit = effort.metadata.get("blockAfter")
        return (
            limit
            if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0
            else self.rules.block_after
        )

    def mark(self, status: str) -> bool:
        """Say how the agent is; gives whether it is known."""
        return self.work.agents.set_status(self.agent_id, status)

    def announce(self, kind: NoticeKind, text: str) -> None:
        """Tell people something about the agent; it may leave the machine, so secrets are taken out."""
        self.services.announce(
            AgentNotice(
                kind=kind,
                agent=self.agent_id,
                label=self.label,
                session_id=self.event.session_id,
                text=self.services.redact(text),
                notify=self.rules.notify,
            )
        )

    def note(self, session: Session | None, content: dict[str, Any]) -> bool:
        """Keep something that happened among the messages of a session; gives whether there is one."""
        if session is None:
            return False
        text = self.services.redact(encoded(content))
        self.work.messages.add(session.id, "system", text, content.get("toolName"))
        return True


def encoded(content: Any) -> str:
    return msgspec.json.encode(content).decode()
