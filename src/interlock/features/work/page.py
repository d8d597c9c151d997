"""The page Work: tasks, their efforts and the sessions that worked on them."""

from __future__ import annotations

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.features.work.errors import RefusedError
from interlock.features.work.page_queries import WorkTask, active_efforts, task_of, tasks_of
from interlock.features.work.records import Effort, TaskSummary
from interlock.web.page import Page, render, seq_of
from interlock.web.site import site_of


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
        raise HTTPException(404, f"`{name}` is no number of a task; the page Work lists them")
    try:
        with site_of(request).reading() as connection:
            found = task_of(connection, number)
    except RefusedError as error:
        raise HTTPException(404, str(error)) from None
    return render(request, "work_task", TaskView(work=found))


PAGE = Page(name="work", title="Work", order=50, shows={"/work": show, "/tasks/{name}": show_task})
