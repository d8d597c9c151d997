"""The page WorkStore: tasks, their efforts and the sessions that worked on them; and what is owed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.features.commitments.page_queries import Owed, commitments_of
from interlock.features.commitments.records import Status
from interlock.features.work.errors import RefusedError
from interlock.features.work.page_queries import WorkTask, active_efforts, task_of, tasks_of
from interlock.features.work.records import Effort, TaskSummary
from interlock.web.page import Page, render
from interlock.web.pages.asked import seq_of
from interlock.web.site import site_of

_OWED: Final = 100
_STATES: Final = ("", *(str(state) for state in Status))


class TaskRow(msgspec.Struct, frozen=True, kw_only=True):
    """A task and what is worked on in it."""

    task: TaskSummary
    efforts: tuple[Effort, ...]


class WorkView(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks, and the commitments that were asked for."""

    tasks: tuple[TaskRow, ...]
    owed: tuple[Owed, ...]
    more: int  # commitments that are left out
    counts: Mapping[str, int]  # of commitments, by state
    state: str  # the one that is shown; empty: all that are not over


class TaskView(msgspec.Struct, frozen=True, kw_only=True):
    """One task whole."""

    work: WorkTask


def show(request: Request) -> Response:
    """Tasks and commitments."""
    site, state = site_of(request), request.query_params.get("state", "")
    state = state if state in _STATES else ""
    with site.reading() as connection:
        tasks = tuple(
            TaskRow(task=one, efforts=tuple(active_efforts(connection, one.id)) if one.active_count else ())
            for one in tasks_of(connection)
        )
        owed = commitments_of(site.places.database).of(connection)
    fitting = [one for one in owed if _fits(one, state)]
    counts = Counter(str(one.commitment.state) for one in owed)
    view = WorkView(
        tasks=tasks,
        owed=tuple(fitting[:_OWED]),
        more=max(len(fitting) - _OWED, 0),
        counts={name: counts[name] for name in _STATES if name},
        state=state,
    )
    return render(request, "work", view)


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


def _fits(one: Owed, state: str) -> bool:
    return str(one.commitment.state) == state if state else not one.commitment.ended


PAGE = Page(name="work", title="WorkStore", shows={"/work": show, "/tasks/{name}": show_task})
