"""`/metrics`: what is decided, how fast, by which hooks, and what waits, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.store.statements import statements
from interlock.version import __version__
from interlock.web.metrics.exposition import MEDIA_TYPE, Metric, Sample, exposition, gauge, histogram
from interlock.web.queries.indexed import indexed
from interlock.web.queries.totals import EDGES, HookTotals, Totals, totals_of
from interlock.web.site import site_of

_VOTES: Final = ("allow", "ask", "deny")  # told also where there is none yet
_OF_HOOKS: Final = {
    "calls": "Times a hook was asked.",
    "asks": "Times a hook wanted a person asked.",
    "denials": "Times a hook denied.",
    "failures": "Times a hook failed or took too long.",
    "open_passes": "Times a failed hook let a call pass, since it is set to fail open.",
}


def show(request: Request) -> Response:
    """All of it."""
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        totals, lag = totals_of(index.connection), index.lag
        head = ledger.execute(statements("ledger")["head"]).fetchone()
        gauges = [
            gauge("ledger_head", "The number of the last entry of the ledger.", head[0] if head else 0),
            gauge("index_lag_entries", "Entries that are not in the figures yet.", lag),
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
        help="How long decisions took; each is counted to 5 percent.",
        samples=histogram(EDGES, totals.within, totals.count, totals.seconds),
    )
    for field, text in _OF_HOOKS.items():
        samples = tuple(Sample(value=getattr(one, field), labels=_labels(one)) for one in totals.hooks)
        yield Metric(name=f"interlock_hook_{field}_total", kind="counter", help=text, samples=samples)


def _labels(one: HookTotals) -> dict[str, str]:
    return {"hook": one.hook, "file": one.file}


def _build() -> Metric:
    samples = (Sample(value=1, labels={"version": __version__}),)
    return Metric(name="interlock_build_info", kind="gauge", help="The version that runs.", samples=samples)


ROUTE: Final = Route("/metrics", show, methods=["GET"])
