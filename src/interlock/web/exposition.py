"""Figures in the text format that Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

MEDIA_TYPE: Final = "text/plain; version=0.0.4"
_ESCAPED: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One number with its labels."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""  # of a histogram's parts


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of one name."""

    name: str
    kind: str  # counter, gauge or histogram
    help: str
    samples: tuple[Sample, ...]


def gauge(name: str, text: str, value: float) -> Metric:
    """One number that goes up and down."""
    return Metric(name=f"interlock_{name}", kind="gauge", help=text, samples=(Sample(value=value),))


def histogram(edges: Iterable[float], within: Iterable[int], count: int, total: float) -> tuple[Sample, ...]:
    """The samples of a distribution; `within` holds how many stay below each edge, all before it included."""
    bounds = [
        Sample(value=number, labels={"le": f"{edge:g}"}, suffix="_bucket")
        for edge, number in zip(edges, within, strict=True)
    ]
    last = Sample(value=count, labels={"le": "+Inf"}, suffix="_bucket")
    return (*bounds, last, Sample(value=total, suffix="_sum"), Sample(value=count, suffix="_count"))


def exposition(metrics: Iterable[Metric]) -> str:
    """The whole text."""
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.help}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for sample in metric.samples:
        labels = ",".join(f'{name}="{value.translate(_ESCAPED)}"' for name, value in sample.labels.items())
        shown = f"{{{labels}}}" if labels else ""
        yield f"{metric.name}{sample.suffix}{shown} {_number(sample.value)}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
