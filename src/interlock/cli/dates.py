"""Times as people type them: `2h` ago, a date, a date and a time."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

import typer

from interlock.errors import InterlockError
from interlock.policy.files.words import duration
from interlock.store.clock import timestamp

SinceOption = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="Only from this time: 2h, 3d, 2026-01-31 or 2026-01-31T12:00."),
]
UntilOption = Annotated[str | None, typer.Option(metavar="TIME", help="Only before this time.")]


def parse_time(text: str, option: str, now: dt.datetime | None = None) -> str:
    """The time as entries have it; a time without a zone is this machine's."""
    now = now or dt.datetime.now(dt.UTC)
    try:
        return timestamp(_moment(text, now))
    except (ValueError, OverflowError, OSError):
        raise InterlockError(
            f"`{text}` is not a time for {option}; write an age (30m, 2h, 3d) or a date (2026-01-31T12:00)"
        ) from None


def _moment(text: str, now: dt.datetime) -> float:
    try:
        ago = dt.timedelta(seconds=duration(text))
    except ValueError:
        return dt.datetime.fromisoformat(text).timestamp()
    return (now - ago).timestamp()


def parse_times(since: str | None, until: str | None) -> tuple[str | None, str | None]:
    """Both ends of a span; one that ends before it begins is a mistake."""
    first = None if since is None else parse_time(since, "--since")
    last = None if until is None else parse_time(until, "--until")
    if first is not None and last is not None and first >= last:
        raise InterlockError(f"nothing is both since `{since}` and before `{until}`; swap them")
    return first, last
