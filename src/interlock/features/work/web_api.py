"""Tasks, for programs."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.exceptions import HTTPException

from interlock.features.work.errors import RefusedError
from interlock.features.work.page import WorkTask, task_of, tasks_of
from interlock.features.work.records import TaskSummary
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.page import seq_of


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
