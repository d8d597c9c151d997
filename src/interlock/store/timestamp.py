"""The one form in which times are stored: UTC text that sorts as the times do."""

from __future__ import annotations

from datetime import UTC, datetime


def timestamp(seconds: float) -> str:
    """Write seconds since 1970 as `2026-01-31T12:00:00.000Z`."""
    return f"{datetime.fromtimestamp(seconds, UTC).isoformat(timespec='milliseconds')[:-6]}Z"
