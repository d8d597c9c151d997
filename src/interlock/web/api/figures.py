"""Hooks, the policy in force, the fleet and the work."""

from __future__ import annotations

import datetime as dt
import time

import msgspec
from starlette.exceptions import HTTPException

from interlock.features.commitments.page_queries import Owed, commitments_of
from interlock.features.fleet.fleet import of_interest
from interlock.features.fleet.page_queries import fleet_rows
from interlock.features.work.errors import RefusedError
from interlock.features.work.page_queries import WorkTask, task_of, tasks_of
from interlock.features.work.records import FleetRow, TaskSummary
from interlock.policy.compile.pipeline_table import pipeline_rows
from interlock.web.api.endpoint import Asked
from interlock.web.pages.asked import seq_of
from interlock.web.policies import policies_of
from interlock.web.queries.figures import (
    Denial,
    Latency,
    Slot,
    decisions_over_time,
    latency,
    top_denials,
)
from interlock.web.queries.hooks import HookFigures, hook_figures
from interlock.web.queries.indexed import indexed
from interlock.web.queries.rules import Rule, rules_of
from interlock.web.queries.window import window_of


class HooksFound(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one window."""

    since: str  # its first hour
    decisions: tuple[Slot, ...]
    latency: Latency
    denials: tuple[Denial, ...]
    hooks: tuple[HookFigures, ...]
    lag: int


class PolicyFound(msgspec.Struct, frozen=True, kw_only=True):
    """The pipeline in force in a folder, and what each rule matched."""

    folder: str
    revision: str
    usable: bool
    problem: str | None
    notice: str | None
    rules: tuple[Rule, ...]


class FleetFound(msgspec.Struct, frozen=True, kw_only=True):
    """Agents, those first that need a person most."""

    agents: list[FleetRow]


class WorkFound(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks, the last active first."""

    tasks: list[TaskSummary]


class CommitmentsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Commitments, the last changed first."""

    commitments: list[Owed]


def hooks(asked: Asked) -> HooksFound:
    """What each hook did in a window."""
    window, site = window_of(asked.query.since, dt.datetime.now(dt.UTC)), asked.site
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        return HooksFound(
            since=window.since,
            decisions=decisions_over_time(index.connection, window),
            latency=latency(index.connection, window),
            denials=top_denials(index.connection, window),
            hooks=hook_figures(index.connection, window),
            lag=index.lag,
        )


def policy(asked: Asked) -> PolicyFound:
    """The policy of a folder."""
    folder, site = asked.query.folder, asked.site
    loaded = policies_of(site.places).for_folder(folder)
    window = window_of(asked.query.since, dt.datetime.now(dt.UTC))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        figures = hook_figures(index.connection, window)
    return PolicyFound(
        folder=folder,
        revision=loaded.revision,
        usable=loaded.usable,
        problem=None if loaded.problem is None else str(loaded.problem),
        notice=loaded.notice or None,
        rules=rules_of(pipeline_rows(loaded.engine.hooks), figures),
    )


def fleet(asked: Asked) -> FleetFound:
    """Who is at work."""
    with asked.site.reading() as connection:
        rows = fleet_rows(connection)
    return FleetFound(agents=rows if asked.query.all else of_interest(rows, time.time()))


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


def commitments(asked: Asked) -> CommitmentsFound:
    """What is owed."""
    query, site = asked.query, asked.site
    with site.reading() as connection:
        found = commitments_of(site.places.database).of(connection)
    fitting = [
        one
        for one in found
        if query.state in {"", str(one.commitment.state)} and query.workspace in {"", one.workspace}
    ]
    return CommitmentsFound(commitments=fitting[: query.limit])
