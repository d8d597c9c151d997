"""`/metrics`, `/healthz` and `/readyz`: for Prometheus and whoever else watches the dashboard."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from interlock.daemon.client import request as ask
from interlock.errors import InterlockError
from interlock.search.counts import longest_in
from interlock.store.statements import statements
from interlock.version import __version__
from interlock.web.exposition import MEDIA_TYPE, Metric, Sample, exposition, gauge, histogram
from interlock.web.queries.index import indexed
from interlock.web.site import site_of

# Seconds at which one column of the distribution ends.
EDGES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_MILLIS: Final = 1_000.0


class HookTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of one file."""

    hook: str
    file: str
    calls: int
    asks: int
    denials: int
    failures: int
    open_passes: int


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened so far, as far as the ledger goes back."""

    decisions: dict[str, int]  # by vote
    hooks: tuple[HookTotals, ...]
    within: tuple[int, ...]  # decisions that took no longer than each edge
    count: int
    seconds: float  # of all together; durations are counted to 5 %


def totals_of(index: sqlite3.Connection) -> Totals:
    """Read the counts of the index; no entry is read for them."""
    sql = statements("web_metrics")
    hooks = (dict(zip(HookTotals.__struct_fields__, row, strict=True)) for row in index.execute(sql["hooks"]))
    lengths = [(longest_in(bucket) / _MILLIS, count) for bucket, count in index.execute(sql["durations"])]
    return Totals(
        decisions=dict(index.execute(sql["decisions"]).fetchall()),
        hooks=tuple(HookTotals(**one) for one in hooks),
        within=tuple(sum(count for length, count in lengths if length <= edge) for edge in EDGES),
        count=sum(count for _, count in lengths),
        seconds=round(sum(length * count for length, count in lengths), 6),
    )


_VOTES: Final = ("allow", "ask", "deny")  # told also where there is none yet
_OF_HOOKS: Final = {
    "calls": "Times a hook ran.",
    "asks": "Times a hook asked for a person's decision.",
    "denials": "Times a hook denied.",
    "failures": "Times a hook failed or took too long.",
    "open_passes": "Times a failed hook allowed a call, because it is set to fail open.",
}


def show(request: Request) -> Response:
    """All of it."""
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        totals, lag = totals_of(index.connection), index.lag
        head = ledger.execute(statements("ledger")["head"]).fetchone()
        gauges = [
            gauge("ledger_head", "The number of the last ledger entry.", head[0] if head else 0),
            gauge("index_lag_entries", "Entries that the figures do not include yet.", lag),
            *(metric for page in site.pages if page.metrics for metric in page.metrics(ledger)),
        ]
    told = exposition([*_counted(totals), *gauges, _build()])
    return Response(told.encode("utf-8", "replace"), media_type=MEDIA_TYPE)


def _counted(totals: Totals) -> Iterator[Metric]:
    decisions = {**dict.fromkeys(_VOTES, 0), **totals.decisions}
    yield Metric(
        name="interlock_decisions_total",
        kind="counter",
        help="Decisions, by vote.",
        samples=tuple(Sample(value=count, labels={"vote": vote}) for vote, count in decisions.items()),
    )
    yield Metric(
        name="interlock_decision_duration_seconds",
        kind="histogram",
        help="How long decisions took; each is accurate to 5 percent.",
        samples=histogram(EDGES, totals.within, totals.count, totals.seconds),
    )
    for field, text in _OF_HOOKS.items():
        samples = tuple(Sample(value=getattr(one, field), labels=_labels(one)) for one in totals.hooks)
        yield Metric(name=f"interlock_hook_{field}_total", kind="counter", help=text, samples=samples)


def _labels(one: HookTotals) -> dict[str, str]:
    return {"hook": one.hook, "file": one.file}


def _build() -> Metric:
    samples = (Sample(value=1, labels={"version": __version__}),)
    return Metric(name="interlock_build_info", kind="gauge", help="The running version.", samples=samples)


ROUTE: Final = Route("/metrics", show, methods=["GET"])


_SECONDS: Final = 2.0


def alive(_: Request) -> Response:
    """It answers, so it lives."""
    return PlainTextResponse("ok\n")


def ready(request: Request) -> Response:
    """Whether the store can be read and the daemon answers; why not is in the log, and not for everybody."""
    site = site_of(request)
    try:
        with site.reading() as connection:
            connection.execute(statements("ledger")["head"]).fetchone()
    except InterlockError:
        return PlainTextResponse("the store cannot be read\n", status_code=503)
    try:
        ask(site.places.socket, "status", seconds=_SECONDS)
    except InterlockError:
        return PlainTextResponse("the daemon does not answer\n", status_code=503)
    return PlainTextResponse("ready\n")


ROUTES: Final = [
    Route("/healthz", alive, methods=["GET"]),
    Route("/readyz", ready, methods=["GET"]),
]
