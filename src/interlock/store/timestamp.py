"""The one form in which times are stored: UTC text that sorts as the times do."""

from __future__ import annotations

from functools import lru_cache
from time import gmtime, strftime


def timestamp(seconds: float) -> str:
    """Write seconds since 1970 as `2026-01-31T12:00:00.000Z`."""
    return _text(int(seconds * 1000))


@lru_cache(maxsize=8)  # entries of one group share a thousandth, thousands share a second
def _text(thousandths: int) -> str:
    whole, rest = divmod(thousandths, 1000)
    return f"{_second(whole)}.{rest:03d}Z"


@lru_cache(maxsize=8)
def _second(whole: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(whole))
