"""Hooks, and the policy in force."""

from __future__ import annotations

import datetime as dt

import msgspec

from interlock.policy.compile.pipeline_table import pipeline_rows
from interlock.web.api.endpoint import Asked
from interlock.web.policies import policies_of
from interlock.web.queries.figures import (
    Denial,
    Latency,
    Slot,
    decisions_over_time,
    latency,
    top_denials,
    window_of,
)
from interlock.web.queries.hooks import HookFigures, Rule, hook_figures, rules_of
from interlock.web.queries.index import indexed


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
