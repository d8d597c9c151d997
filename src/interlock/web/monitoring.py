"""`/metrics`, `/healthz` and `/readyz`, for Prometheus and other monitors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
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
from interlock.web.queries.entries import indexed
from interlock.web.site import site_of

MEDIA_TYPE: Final = "text/plain; version=0.0.4"
_ESCAPED: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One number with its labels."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""  # for the parts of a histogram


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """The samples of one name."""

    name: str
    kind: str  # counter, gauge or histogram
    help: str
    samples: tuple[Sample, ...]


def gauge(name: str, text: str, value: float) -> Metric:
    """One number that goes up and down."""
    return Metric(name=f"interlock_{name}", kind="gauge", help=text, samples=(Sample(value=value),))


def histogram(edges: Iterable[float], within: Iterable[int], count: int, total: float) -> tuple[Sample, ...]:
    """The samples of a distribution; `within` counts, for each edge, all values up to it."""
    bounds = [
        Sample(value=number, labels={"le": f"{edge:g}"}, suffix="_bucket")
        for edge, number in zip(edges, within, strict=True)
    ]
    last = Sample(value=count, labels={"le": "+Inf"}, suffix="_bucket")
    return (*bounds, last, Sample(value=total, suffix="_sum"), Sample(value=count, suffix="_count"))


def exposition(metrics: Iterable[Metric]) -> str:
    """The metrics in the text format of Prometheus."""
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in sample.labels.items())
        shown = f"{{{labels}}}" if labels else ""
        value = int(sample.value) if sample.value == int(sample.value) else sample.value
        yield f"{metric.name}{sample.suffix}{shown} {value!r}"


# The upper ends of the histogram's columns, in seconds.
EDGES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_MILLIS: Final = 1_000.0


_VOTES: Final = ("allow", "ask", "deny")  # reported even if the count is zero
_OF_HOOKS: Final = {  # in the order of the columns
    "calls": "Times a hook ran.",
    "asks": "Times a hook asked for a person's decision.",
    "denials": "Times a hook denied.",
    "failures": "Times a hook failed or took too long.",
    "open_passes": "Times a failed hook allowed a call, because it is set to fail open.",
}


def show(request: Request) -> Response:
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        head = ledger.execute(statements("ledger")["head"]).fetchone()
        metrics = [
            *_counts(index.connection),
            gauge("ledger_head", "The number of the last ledger entry.", head[0] if head else 0),
            gauge("index_lag_entries", "Entries that the figures do not include yet.", index.lag),
            *(metric for page in site.pages if page.metrics for metric in page.metrics(ledger)),
        ]
    build = Metric(
        name="interlock_build_info",
        kind="gauge",
        help="The running version.",
        samples=(Sample(value=1, labels={"version": __version__}),),
    )
    text = exposition([*metrics, build])
    return Response(text.encode("utf-8", "replace"), media_type=MEDIA_TYPE)


def _counts(index: sqlite3.Connection) -> Iterator[Metric]:
    """All counts as far back as the ledger goes."""
    sql = statements("web_metrics")
    decisions = {**dict.fromkeys(_VOTES, 0), **dict(index.execute(sql["decisions"]).fetchall())}
    yield Metric(
        name="interlock_decisions_total",
        kind="counter",
        help="Decisions, by vote.",
        samples=tuple(Sample(value=count, labels={"vote": vote}) for vote, count in decisions.items()),
    )
    lengths = [(longest_in(bucket) / _MILLIS, count) for bucket, count in index.execute(sql["durations"])]
    within = [sum(count for length, count in lengths if length <= edge) for edge in EDGES]
    total = round(sum(length * count for length, count in lengths), 6)
    yield Metric(
        name="interlock_decision_duration_seconds",
        kind="histogram",
        help="How long decisions took; each is accurate to 5 percent.",
        samples=histogram(EDGES, within, sum(count for _, count in lengths), total),
    )
    hooks = index.execute(sql["hooks"]).fetchall()
    for column, (field, text) in enumerate(_OF_HOOKS.items(), start=2):
        samples = tuple(Sample(value=row[column], labels={"hook": row[0], "file": row[1]}) for row in hooks)
        yield Metric(name=f"interlock_hook_{field}_total", kind="counter", help=text, samples=samples)


_SECONDS: Final = 2.0


def alive(_: Request) -> Response:
    return PlainTextResponse("ok\n")


def ready(request: Request) -> Response:
    """Whether the store can be read and the daemon answers; only the log says why not."""
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
    Route("/metrics", show, methods=["GET"]),
    Route("/healthz", alive, methods=["GET"]),
    Route("/readyz", ready, methods=["GET"]),
]
