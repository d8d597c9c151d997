"""The page Work: tasks, their efforts and the sessions that worked on them."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.features.work.efforts import Efforts, Phases, Tasks
from interlock.features.work.records import Effort, PhaseChange, RefusedError, Session, TaskSummary
from interlock.features.work.sessions import Sessions
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.page import Page, render, seq_of
from interlock.web.site import site_of

_TASKS: Final = 100
_EFFORTS: Final = 50  # of one task
_SESSIONS: Final = 50  # of one effort


class WorkSession(msgspec.Struct, frozen=True, kw_only=True):
    """A context window that worked on an effort."""

    id: int
    host: str
    host_session_id: str
    agent_id: str | None
    heartbeat_counter: int
    last_heartbeat: str | None
    context_usage: float | None
    created_at: str
    ended_at: str | None
    end_reason: str | None


class WorkEffort(msgspec.Struct, frozen=True, kw_only=True):
    """An effort with its phases and sessions."""

    id: int
    skill: str
    mode: str | None
    ordinal: int
    lifecycle: str
    current_phase: str | None
    created_at: str
    finished_at: str | None
    phases: tuple[str, ...]  # those it declares, in their order
    history: tuple[PhaseChange, ...]
    sessions: tuple[WorkSession, ...]


class WorkTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task with its efforts, the newest first."""

    task: TaskSummary
    efforts: tuple[WorkEffort, ...]


def tasks_of(connection: Connection, *, most: int = _TASKS) -> list[TaskSummary]:
    """The newest tasks, the last active first."""
    return Tasks(connection).listed(most=most)


def active_efforts(connection: Connection, task_id: int) -> list[Effort]:
    """What is worked on in a task."""
    return Efforts(connection).listed(task_id=task_id, active=True, most=_EFFORTS)


def task_of(connection: Connection, task_id: int) -> WorkTask:
    """One task whole; raise RefusedError when there is none of this number."""
    summary = Tasks(connection).summary(task_id)
    efforts = Efforts(connection).listed(task_id=task_id, most=_EFFORTS)
    return WorkTask(task=summary, efforts=tuple(_effort(connection, one) for one in efforts))


def _effort(connection: Connection, effort: Effort) -> WorkEffort:
    phases = Phases(connection)
    sessions = Sessions(connection).listed(effort_id=effort.id, most=_SESSIONS)
    return WorkEffort(
        id=effort.id,
        skill=effort.skill,
        mode=effort.mode,
        ordinal=effort.ordinal,
        lifecycle=effort.lifecycle,
        current_phase=effort.current_phase,
        created_at=effort.created_at,
        finished_at=effort.finished_at,
        phases=tuple(str(label) for label in phases.declared(effort)),
        history=tuple(phases.of_effort(effort.id)),
        sessions=tuple(_session(one) for one in sessions),
    )


def _session(session: Session) -> WorkSession:
    return WorkSession(**{name: getattr(session, name) for name in WorkSession.__struct_fields__})


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task and what is worked on in it."""

    task: TaskSummary
    efforts: tuple[Effort, ...]


class WorkView(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks."""

    tasks: tuple[TaskRow, ...]


class TaskView(msgspec.Struct, frozen=True, kw_only=True):
    """One task whole."""

    work: WorkTask


def show(request: Request) -> Response:
    """Tasks, and what other features show beside them."""
    with site_of(request).reading() as connection:
        tasks = tuple(
            TaskRow(task=one, efforts=tuple(active_efforts(connection, one.id)) if one.active_count else ())
            for one in tasks_of(connection)
        )
    return render(request, "work", WorkView(tasks=tasks))


def show_task(request: Request) -> Response:
    """One task, its efforts and their sessions."""
    name = request.path_params["name"]
    number = seq_of(name)
    if number is None:
        raise HTTPException(404, f"`{name}` is not a number of a task; the page Work lists them")
    try:
        with site_of(request).reading() as connection:
            found = task_of(connection, number)
    except RefusedError as error:
        raise HTTPException(404, str(error)) from None
    return render(request, "work_task", TaskView(work=found))


PAGE = Page(name="work", title="Work", order=50, shows={"/work": show, "/tasks/{name}": show_task})


class WorkFound(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the most recently active first."""

    tasks: list[TaskSummary]


@endpoint("/work")
def work(asked: Asked) -> WorkFound:
    """Tasks, the most recently active first."""
    with asked.site.reading() as connection:
        return WorkFound(tasks=tasks_of(connection))


@endpoint("/tasks/{name}")
def task(asked: Asked) -> WorkTask:
    """One task by its number, with its efforts and their sessions."""
    number = seq_of(asked.name)
    if number is None:
        raise HTTPException(404, f"`{asked.name}` is not the number of a task")
    try:
        with asked.site.reading() as connection:
            return task_of(connection, number)
    except RefusedError as error:
        raise HTTPException(404, str(error)) from None


ENDPOINTS: Final = (work, task)
