"""The state of the work in one place: its tables, steps made as one, and where an event belongs."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import PurePath
from typing import ClassVar, Final, final

import msgspec

from interlock.features.work.efforts import Efforts, Phases, Projects, Skills, Tasks
from interlock.features.work.records import (
    STATUSES,
    Agent,
    Code,
    Effort,
    FleetRow,
    Ids,
    RefusedError,
    Session,
    Table,
)
from interlock.features.work.sessions import Messages, Sessions
from interlock.features.work.settings import WorkNotify
from interlock.ledger.writer import LedgerWriter
from interlock.store.errors import explain_errors

MOST: Final = 1_000


@final
class AgentRows(Table):
    """One row for each name, whatever sessions it went through."""

    file: ClassVar = "work_agents"

    def register(
        self,
        agent_id: str,
        *,
        label: str | None = None,
        effort_id: int | None = None,
        parent: str | None = None,
        pane: str | None = None,
        tmux: str | None = None,
        host_session_id: str | None = None,
    ) -> Agent:
        """Take notice of an agent; what is not said stays as it was, and an unknown parent is noticed too."""
        if parent is not None and parent != agent_id and self.get(parent) is None:
            self.register(parent)
        return self._require(
            Agent,
            "seen",
            id=agent_id,
            label=label,
            effort_id=effort_id,
            parent=parent if parent != agent_id else None,
            host_session_id=host_session_id,
            pane=pane,
            tmux=tmux,
        )

    def get(self, agent_id: str) -> Agent | None:
        return self._find(Agent, "get", id=agent_id)

    def of_host(self, host_session_id: str) -> Agent | None:
        return self._find(Agent, "of_host", host_session_id=host_session_id)

    def find_by_name(self, name: str) -> Agent | None:
        """The agent of a name, its own or the one people call it by."""
        return self._find(Agent, "named", name=name)

    def coordinator_of(self, agent: Agent, names: Iterable[str] = ()) -> Agent | None:
        """Who manages an agent, by its id or one of more names; else its parent."""
        manager = self._find(Agent, "manager_of", names=[agent.id, *names])
        return manager or (self.get(agent.parent) if agent.parent else None)

    def set_status(self, agent_id: str, status: str) -> bool:
        """Say how an agent is, in one of five words; gives whether that is known of it now."""
        if status not in STATUSES:
            raise RefusedError(
                Code.BAD_STATUS, f"`{status}` is not a status", f"use one of {', '.join(STATUSES)}"
            )
        self._run("set_status", id=agent_id, status=status)
        return self.get(agent_id) is not None

    def check(self, agent_id: str) -> bool:
        """A person has looked at it; gives whether there is such an agent."""
        return self._run("check", id=agent_id).rowcount == 1

    def set_manages(self, agent_id: str, names: Iterable[str]) -> None:
        self._run("set_manages", id=agent_id, manages=list(names))

    def clear_effort(self, effort_id: int) -> None:
        """Nobody is at work on an effort any more."""
        self._run("leave", effort_id=effort_id)

    def listed(self, *, most: int = MOST) -> list[FleetRow]:
        """Everybody, those first that need a person most."""
        return self._find_all(FleetRow, "fleet", most=most)


class NoticeKind(StrEnum):
    ATTENTION = "attention"  # the agent waits for somebody
    ENDED = "session_ended"
    EXHAUSTED = "exhausted"  # no more calls for now, or no more room in the window


class AgentNotice(msgspec.Struct, frozen=True, kw_only=True):
    kind: NoticeKind
    agent: str
    label: str | None
    session_id: str  # the host's
    text: str  # one line for people
    notify: WorkNotify  # how they want to be told


Alive = Callable[[str], bool]  # whether the host of a session still runs


@final
class WorkStore:
    """Not for several threads; changes are lasting with the ledger's next flush, so each needs an entry."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        clock: Callable[[], float] = time.time,
        alive: Alive = lambda _: False,
    ) -> None:
        self._ledger: Final = ledger
        self.clock: Final = clock
        self.alive = alive
        self.projects: Final = Projects(connection, clock)
        self.tasks: Final = Tasks(connection, clock)
        self.efforts: Final = Efforts(connection, clock)
        self.sessions: Final = Sessions(connection, clock)
        self.agents: Final = AgentRows(connection, clock)
        self.messages: Final = Messages(connection, clock)
        self.skills: Final = Skills(connection, clock)
        self.phases: Final = Phases(connection, clock)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Several changes as one, inside the transaction that the ledger's next flush ends."""
        with explain_errors("the state of the work cannot be used"), self._ledger.step("work"):
            yield

    def resolve(
        self, cwd: str | None, agent: str | None, host_session_id: str, sub_agent: str | None = None
    ) -> Ids:
        """Where an event belongs; None for what is not known, never an error.

        The window's own open session decides. Without one it is the effort the agent owns, or for an agent
        without a name the project's latest one that nobody else is at work on; its session is not ours.
        """
        session = self.sessions.open_of(host_session_id, sub_agent)
        if session is not None:
            return self._of_session(session, cwd)
        if sub_agent is not None:
            parent = self.resolve(cwd, agent, host_session_id)
            return Ids(project_id=parent.project_id, effort_id=parent.effort_id)
        effort = self.effort_for(cwd, agent, host_session_id)
        if effort is not None:
            return Ids(project_id=self.tasks.get(effort.task_id).project_id, effort_id=effort.id)
        return Ids(project_id=self._project_of(cwd))

    def _project_of(self, cwd: str | None) -> int | None:
        project = self.projects.find(cwd)
        return project.id if project else None

    def effort_for(self, cwd: str | None, agent: str | None, host_session_id: str) -> Effort | None:
        """The effort a new session of this agent goes on with."""
        if agent is not None:
            owned = self.efforts.of_agent(agent)
            return owned if owned and self.is_of(owned, cwd) else None
        project = self.projects.find(cwd)
        if project is None:
            return None
        active = self.efforts.active_in(project.id)
        return next((effort for effort in active if self.is_free(effort, host_session_id)), None)

    def is_of(self, effort: Effort, folder: str | None) -> bool:
        """Whether an effort belongs to the project that a folder is in, or its task lies in the folder."""
        task = self.tasks.get(effort.task_id)
        project = self.projects.get(task.project_id)
        inside = project is not None and is_below(folder, project.path)
        return inside or (folder is not None and is_below(task.dir_path, folder))

    def is_free(self, effort: Effort, host_session_id: str | None) -> bool:
        """Whether nobody else is at work on an effort: its open session is ours or its host has gone."""
        held = self.sessions.open_main_of(effort.id)
        return held is None or held.host_session_id == host_session_id or not self.alive(held.host_session_id)

    def _of_session(self, session: Session, cwd: str | None) -> Ids:
        if session.task_id is not None:
            project_id: int | None = self.tasks.get(session.task_id).project_id
        else:
            project_id = self._project_of(cwd)
        return Ids(project_id=project_id, effort_id=session.effort_id, session_id=session.id)


def is_below(path: str | None, folder: str) -> bool:
    """Whether a path really leads to a folder or to something in it."""
    return path is not None and PurePath(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
