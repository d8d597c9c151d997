"""Requests and grants as text for people."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

from interlock.cli.output import printable, short_path, table, wrapped
from interlock.daemon.paths import Places
from interlock.errors import ApprovalError, StoreError
from interlock.events.actor import in_words
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.render import CLAIM, summary
from interlock.features.approvals.requests import Requests
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def requests_table(found: dict[str, Any]) -> list[str]:
    head = ("id", "state", "left", "actor", "tool", "call", "why")
    rows = [(*_cells(row, found["now"]), row["reason"] or "-") for row in found["approvals"]]
    return table(head, rows, cut={3: 8, 4: 6, 5: 16, 6: 10})


def line(row: dict[str, Any], now: str) -> str:
    return printable("  ".join(_cells(row, now)))


def _cells(row: dict[str, Any], now: str) -> tuple[str, ...]:
    return row["id"], row["state"], _left(row, now), row["actor"], row["tool"] or "-", row["summary"]


def details(row: dict[str, Any]) -> list[str]:
    """Everything an approver should know: the real call first, then who asks and why."""
    left = _left(row, row["now"])
    state = f"{row['state']}, {left} left" if left != "-" else str(row["state"])
    named = " and ".join(in_words(group) for group in row["approvers"])
    about = {
        "asked by": f"{row['actor']} in session {row['session_id']}",
        "why": row["reason"],
        "rule": row["rule"],
        "commitment": row["commitment"],
        "approvers": named or None,
        "answered by": row["decided_by"],
        "note": row["note"],
        "digest": row["digest"],
    }
    # The daemon made every character of the call visible.
    claims = [text for text in row["shown"] if text.startswith(CLAIM)]
    real = [text for text in row["shown"] if not text.startswith(CLAIM)]
    known = [f"{name}: {value}" for name, value in about.items() if value]
    return [
        *(printable(line) for line in (f"{row['id']} ({state})", *real)),
        *(line for text in known for line in wrapped(printable(text), "", "  ")),
        *map(printable, claims),
    ]


def grants_table(rows: Sequence[dict[str, Any]], now: str) -> list[str]:
    cells = [
        (
            row["id"],
            _standing(row, now),
            row["pattern"] or f"the call of {row['approval']}",
            f"session {row['session_id']}" if row["session_id"] else short_path(row["project"] or "-"),
            row["actor"] or "any",
            _local(row["until"]) if row["until"] else "session's end",
            row["granted_by"],
        )
        for row in rows
    ]
    head = ("id", "state", "what", "where", "for", "until", "by")
    return table(head, cells, cut={2: 12, 3: 8, 4: 8, 6: 6})


def _local(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"


def grant_details(row: dict[str, Any]) -> list[str]:
    about = {
        "covers": row["pattern"] or f"exactly the call of {row['approval']}",
        "project": row["project"],
        "session": row["session_id"],
        "actor": row["actor"] or "any",
        "until": row["until"] or "the session ends",
        "granted by": f"{row['granted_by']} at {row['granted_at']}",
        "answering": row["approval"],
        "note": row["note"],
        "revoked by": f"{row['revoked_by']} at {row['revoked_at']}" if row["revoked_at"] else None,
    }
    lines = [f"{name}: {value}" for name, value in about.items() if value]
    return [printable(line) for line in (f"{row['id']} ({_standing(row, row['now'])})", *lines)]


def _standing(row: dict[str, Any], now: str) -> str:
    if row["revoked_at"]:
        return "revoked"
    return "expired" if row["until"] and row["until"] <= now else "in force"


def _left(row: dict[str, Any], now: str) -> str:
    if row["state"] not in {"pending", "approved"}:
        return "-"
    left = datetime.fromisoformat(row["expires_at"]) - datetime.fromisoformat(now)
    seconds = left.total_seconds()
    for unit, word in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m")):
        if seconds >= unit:
            return f"{int(seconds // unit)}{word}"
    return f"{max(0, int(seconds))}s"


def waiting(places: Places) -> Iterator[tuple[str, str]]:
    """The requests that wait for an answer, for `interlock status`. Needs no daemon."""
    now = timestamp(time.time())
    try:
        with closing(open_to_read(places.database)) as connection:
            found = [one for one in Requests(connection).waiting() if one.expires_at > now]
    except StoreError:  # nothing was recorded yet
        return
    for one in found:
        try:
            asked = summary(one, STANDARD_TOOLS)
        except ApprovalError as error:  # its row was changed
            asked = str(error)
        yield one.name, f"{one.actor} asks: {asked}"
