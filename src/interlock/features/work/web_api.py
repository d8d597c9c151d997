"""Tasks, for programs."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.exceptions import HTTPException

from interlock.features.work.errors import RefusedError
from interlock.features.work.page_queries import WorkTask, task_of, tasks_of
from interlock.features.work.records import TaskSummary
from interlock.web.api.endpoint import Asked, Endpoint
from interlock.web.page import seq_of


class WorkFound(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the last active first."""

    tasks: list[TaskSummary]


def tasks(asked: Asked) -> WorkFound:
    """What there is to do."""
    with asked.site.reading() as connection:
        return WorkFound(tasks=tasks_of(connection))


def task(asked: Asked) -> WorkTask:
    """One task, its efforts and their sessions."""
    number = seq_of(asked.name)
    if number is None:
        raise HTTPException(404, f"`{asked.name}` is no number of a task")
    try:
        with asked.site.reading() as connection:
            return task_of(connection, number)
    except RefusedError as error:
        raise HTTPException(404, str(error)) from None


ENDPOINTS: Final = (
    Endpoint(
        path="/work",
        name="work",
        summary="Tasks, the last active first.",
        gives=WorkFound,
        answer=tasks,
    ),
    Endpoint(
        path="/tasks/{name}",
        name="task",
        summary="One task by its number, with its efforts and their sessions.",
        gives=WorkTask,
        answer=task,
    ),
)
