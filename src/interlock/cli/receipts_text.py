"""Recorded calls as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from interlock.cli.terminal import columns, printable, short

_HEADER = ("id", "status", "class", "begun", "session", "tool", "call")


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Calls as aligned rows under a header."""
    cells = [
        (
            str(row["id"]),
            _status(row),
            str(row["side_effect"]),
            str(row["created_at"]),
            str(row["session_id"]),
            str(row["tool"]),
            short(str(row["summary"])),
        )
        for row in rows
    ]
    return columns([_HEADER, *cells])


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
        "effects": _effects(row["effects"]),
        "error": ": ".join(filter(None, (row["error_code"], row["error_detail"]))),
        "settled by": row["resolved_by"],
        "note": row["note"],
        "how to look": row["look"],
        "key": row["idempotency_key"],
    }
    known = [printable(f"{name}: {value}") for name, value in about.items() if value]
    return [printable(f"{row['id']} ({_status(row)})"), *known, *_texts(row["receipts"])]


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
