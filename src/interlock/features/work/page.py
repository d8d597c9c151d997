"""The page Work: tasks, their efforts and the sessions that worked on them."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.features.work.efforts import Efforts, Phases, Tasks
from interlock.features.work.records import Effort, PhaseChange, RefusedError, Session, TaskSummary
from interlock.features.work.sessions import Sessions
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.page import Page, missing, render, seq_of
from interlock.web.site import Site, site_of

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


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task and what is worked on in it."""

    task: TaskSummary
    efforts: tuple[Effort, ...]


class WorkView(msgspec.Struct, frozen=True, kw_only=True):
    tasks: tuple[TaskRow, ...]


def find_task(site: Site, name: str) -> WorkTask:
    """One task whole; raise a 404 when the name is not the number of a task."""
    number = seq_of(name)
    if number is None:
        raise HTTPException(404, f"`{name}` is not the number of a task; the page Work lists them")
    with missing(RefusedError), site.reading() as connection:
        task = Tasks(connection).summary(number)
        efforts = Efforts(connection).listed(task_id=number, most=_EFFORTS)
        return WorkTask(task=task, efforts=tuple(_effort(connection, one) for one in efforts))


def _effort(connection: Connection, effort: Effort) -> WorkEffort:
    phases = Phases(connection)
    sessions = Sessions(connection).listed(effort_id=effort.id, most=_SESSIONS)
    return WorkEffort(
        **_fields(WorkEffort, effort),
        phases=tuple(str(label) for label in phases.declared(effort)),
        history=tuple(phases.of_effort(effort.id)),
        sessions=tuple(WorkSession(**_fields(WorkSession, one)) for one in sessions),
    )


def _fields(kind: type[msgspec.Struct], row: Effort | Session) -> dict[str, Any]:
    return {name: getattr(row, name) for name in kind.__struct_fields__ if hasattr(row, name)}


def show(request: Request) -> Response:
    """Tasks, and what other features show beside them."""
    with site_of(request).reading() as connection:
        efforts, tasks = Efforts(connection), Tasks(connection).listed(most=_TASKS)
        rows = [
            TaskRow(
                task=task,
                efforts=tuple(efforts.listed(task_id=task.id, active=True, most=_EFFORTS))
                if task.active_count
                else (),
            )
            for task in tasks
        ]
    return render(request, "work", WorkView(tasks=tuple(rows)))


def show_task(request: Request) -> Response:
    return render(request, "work_task", find_task(site_of(request), request.path_params["name"]))


PAGE = Page(name="work", title="Work", order=50, shows={"/work": show, "/tasks/{name}": show_task})


class WorkFound(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the most recently active first."""

    tasks: list[TaskSummary]


@endpoint("/work")
def work(asked: Asked) -> WorkFound:
    """Tasks, the most recently active first."""
    with asked.site.reading() as connection:
        return WorkFound(tasks=Tasks(connection).listed(most=_TASKS))


@endpoint("/tasks/{name}")
def task(asked: Asked) -> WorkTask:
    """One task by its number, with its efforts and their sessions."""
    return find_task(asked.site, asked.name)


ENDPOINTS: Final = (work, task)
