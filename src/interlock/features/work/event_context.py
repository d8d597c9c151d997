"""One event on its way through a handler: where it belongs, who it is about, and what may be asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath
from typing import Any, Generic, TypeVar

import msgspec

from interlock.features.work.call_memory import Advice, DoneCalls
from interlock.features.work.inputs import HookInput
from interlock.features.work.own_commands import PROGRAM, OwnCommand
from interlock.features.work.records import Agent, Effort, Ids, Project, Session, Task
from interlock.features.work.results import Result
from interlock.features.work.sessions.usage import UsageMemory
from interlock.features.work.settings import WorkNotify, WorkRules
from interlock.features.work.store import Work


class Kind(StrEnum):
    """What happened."""

    ATTENTION = "attention"  # the agent waits for somebody
    ENDED = "session_ended"
    EXHAUSTED = "exhausted"  # no more calls for now, or no more room in the window


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """One of them, with who it is about."""

    kind: Kind
    agent: str
    label: str | None
    session_id: str  # the host's
    text: str  # one line for people
    notify: WorkNotify  # how they want to hear of it


Given = TypeVar("Given", bound=HookInput)
Text = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Means:
    """What handlers are lent for as long as the daemon lives."""

    work: Work
    redact: Text = str  # takes secrets out of what is kept
    end_host: Callable[[str], bool] = lambda _: False  # ends a session's process, where people say so
    announce: Callable[[Happening], object] = lambda _: None  # tells people
    usage: UsageMemory = field(default_factory=UsageMemory)
    advice: Advice = field(default_factory=Advice)
    skill_folders: tuple[str, ...] = ()  # of the user; a project has its own
    root: Callable[[str], str] = os.path.realpath  # the project a folder belongs to
    afterwards: Callable[[Callable[[], None]], object] = lambda act: act()  # once changes are lasting
    program: Callable[[str], str] = lambda _: PROGRAM  # how the agent of a session types our command
    is_program: Callable[[str], bool] = lambda _: False  # whether a path leads to it
    effort_calls: DoneCalls[Answer] = field(default_factory=DoneCalls)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A handler's result, and what of it the agent is told."""

    result: Result
    context: str | None = None  # for the model
    deny: str | None = None  # why the call must not happen
    begins: bool = False  # the session may be at work on something else now


@dataclass(frozen=True, kw_only=True)
class Case(Generic[Given]):
    """One event; rows are looked up when they are first asked for."""

    given: Given
    ids: Ids
    agent_id: str  # `AGENT_ID`, or the host's session id
    named: bool = False  # whether the agent has a name of its own
    host: str = "claude-code"
    pane: str | None = None
    tmux: str | None = None
    project_dir: str | None = None  # as the host tells it
    rules: WorkRules
    means: Means
    command: Callable[[], OwnCommand | None] = lambda: None  # the call as a command of ours, if it is one
    turn_failed: bool = False  # the turn ended in an error of the host

    @property
    def work(self) -> Work:
        """The tables."""
        return self.means.work

    @cached_property
    def session(self) -> Session | None:
        """The open session of this window, or of the sub-agent in it."""
        number = self.ids.session_id
        return None if number is None else self.work.sessions.get(number)

    @cached_property
    def effort(self) -> Effort | None:
        """The effort this session is at work on; one of the project's that is not its own counts as none."""
        number = self.session.effort_id if self.session else None
        return None if number is None else self.work.efforts.get(number)

    @cached_property
    def task(self) -> Task | None:
        """The task of the effort."""
        return self.work.tasks.get(self.effort.task_id) if self.effort else None

    @cached_property
    def project(self) -> Project | None:
        """The project the work belongs to."""
        number = self.ids.project_id
        return None if number is None else self.work.projects.get(number)

    @cached_property
    def agent(self) -> Agent | None:
        """The agent, where it is known."""
        return self.work.agents.get(self.agent_id)

    @property
    def program(self) -> str:
        """How this agent types our command line."""
        return self.means.program(self.given.session_id)

    @property
    def label(self) -> str | None:
        """What people call the agent: the folder it works in, unless it has a name."""
        return self.agent_id if self.named else PurePath(self.project_dir or self.given.cwd).name or None

    def block_after(self, effort: Effort) -> int:
        """After how many calls without a word the next one waits; the effort's own number wins."""
        own = effort.metadata.get("blockAfter")
        return (
            own if isinstance(own, int) and not isinstance(own, bool) and own >= 0 else self.rules.block_after
        )

    def mark(self, status: str) -> bool:
        """Say how the agent is; gives whether it is known."""
        return self.work.agents.set_status(self.agent_id, status)

    def note(self, session: Session | None, content: dict[str, Any]) -> bool:
        """Keep something that happened among the messages of a session; gives whether there is one."""
        if session is None:
            return False
        text = self.means.redact(encoded(content))
        self.work.messages.add(session.id, "system", text, content.get("toolName"))
        return True


def encoded(content: Any) -> str:
    """A document as text."""
    return msgspec.json.encode(content).decode()
