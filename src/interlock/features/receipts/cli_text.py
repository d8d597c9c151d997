"""Recorded calls as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.cli.output import columns, printable, short

_HEADER = ("id", "status", "class", "begun", "session", "tool", "call")


def table(rows: Sequence[dict[str, Any]], width: int | None = None) -> list[str]:
    """Calls as aligned rows under a header; on a screen the time is short and long cells give way."""
    cells = [
        (
            str(row["id"]),
            _status(row),
            str(row["side_effect"]),
            str(row["created_at"]) if width is None else _minute(str(row["created_at"])),
            str(row["session_id"]),
            str(row["tool"]),
            short(str(row["summary"])),
        )
        for row in rows
    ]
    return columns([_HEADER, *cells], cut={1: 9, 4: 6, 5: 8, 6: 10}, width=width)


def _minute(at: str) -> str:
    """`2026-03-01T12:30:05.123Z` as `03-01 12:30`."""
    return at[5:16].replace("T", " ")


def waiting_lines(runs: Sequence[dict[str, Any]]) -> list[str]:
    """The runs in which something failed that a person should look at."""
    return [printable(_waiting(run)) for run in runs]


def _waiting(run: dict[str, Any]) -> str:
    calls = f"{run['calls']} failed, look at {run['call']}"
    return f"run {run['run']} waits for a person since {run['since']}: {calls}"


def details(row: dict[str, Any]) -> list[str]:
    """Everything known of one call; texts line by line, so that each character of them can be seen."""
    about = {
        "tool": row["tool"],
        "class": f"{row['side_effect']}, {row['replay']} (by {row['matched']} {row['rule'] or ''}".rstrip()
        + ")",
        "actor": row["actor"],
        "session": row["session_id"],
        "project": row["project"],
        "begun": row["created_at"],
        "changed": row["updated_at"],
        "duration": f"{row['duration_ms']:g} ms" if row["duration_ms"] is not None else None,
        "attempt": row["attempt"],
        "step": row["step"],
        "effects": _effects(row["effects"]),
        "error": ": ".join(filter(None, (row["error_code"], row["error_detail"]))),
        "settled by": row["resolved_by"],
        "note": row["note"],
        "how to look": row["look"],
        "key": row["idempotency_key"],
    }
    known = [printable(f"{name}: {value}") for name, value in about.items() if value]
    return [printable(f"{row['id']} ({_status(row)})"), *known, *_texts(row["receipts"])]


_MARKS = ("taken", "step", "before the first", "call", "ledger", "git", "session")
_KINDS = {"read_only": "read-only call", "side_effect": "side effect"}


def checkpoint_table(rows: Sequence[dict[str, Any]], width: int | None = None) -> list[str]:
    """Where things stood before the first calls of steps, as aligned rows under a header."""
    cells = [
        (
            str(row["taken_at"]),
            str(row["step"]),
            _KINDS.get(row["kind"], str(row["kind"])),
            str(row["call"]),
            str(row["state"].get("ledger", {}).get("seq", "")),
            str(row["state"].get("git", {}).get("commit", ""))[:12],
            str(row["session_id"]),
        )
        for row in rows
    ]
    return columns([_MARKS, *cells], cut={6: 8, 5: 7}, width=width)


def _status(row: dict[str, Any]) -> str:
    return f"{row['status']}, look" if row["waits"] else str(row["status"])


def _effects(effects: dict[str, Any]) -> str:
    shown = {kind: ", ".join(found) if isinstance(found, list) else found for kind, found in effects.items()}
    return "; ".join(f"{kind} {found}" for kind, found in shown.items())


def _texts(receipts: Sequence[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for one in receipts:
        pending = ", pending" if one["state"] == "pending" else ""
        lines.append(f"{one['kind']} ({one['bytes']:,} bytes{pending}):")
        lines += [f"  | {printable(line)}" for line in str(one["text"]).splitlines()]
    return lines
