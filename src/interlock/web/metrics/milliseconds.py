"""A duration as people read it."""

from __future__ import annotations

from typing import Final

_SECOND: Final = 1_000.0
_WHOLE: Final = 100.0  # from here on a fraction of a millisecond tells nobody anything


def millis(value: float | None) -> str:
    """Milliseconds with two figures, whole ones when there are many, or seconds."""
    if value is None:
        return "-"
    if value >= _SECOND:
        return f"{value / _SECOND:.3g} s"
    return f"{value:.2g} ms" if value < _WHOLE else f"{value:.0f} ms"
