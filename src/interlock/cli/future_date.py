"""A time to come, as people type it: `7d`, `2026-12-31`, `2026-12-31T18:00`."""

from __future__ import annotations

import time
from datetime import datetime

from interlock.errors import InterlockError
from interlock.policy.files.words import duration
from interlock.store.clock import timestamp


def until(text: str, now: float | None = None) -> str:
    """The time as it is stored; a day counts to its end, and a time without a zone is this machine's."""
    begin = time.time() if now is None else now
    try:
        return timestamp(begin + duration(text))
    except ValueError:
        seconds = _moment(text)
    if seconds <= begin:
        raise InterlockError(f"`{text}` is in the past; name a time in the future")
    return timestamp(seconds)


def _moment(text: str) -> float:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InterlockError(
            f"`{text}` is not a time; write `7d`, `2026-12-31` or `2026-12-31T18:00`"
        ) from None
    if len(text) <= len("2026-12-31"):
        found = found.replace(hour=23, minute=59, second=59)
    return found.astimezone().timestamp()
