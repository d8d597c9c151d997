"""Ledger entries as text for people and as documents for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from interlock.cli.terminal import columns, printable
from interlock.ledger.entry import Entry

_HEADER = ("seq", "time", "actor", "session", "op", "event", "tool", "decision")


def _cells(entry: Entry) -> tuple[str, ...]:
    return (
        str(entry.seq),
        entry.ts,
        entry.actor,
        entry.session_id or "-",
        entry.op,
        entry.event or "-",
        entry.tool or "-",
        entry.decision or "-",
    )


def table(entries: Sequence[Entry]) -> list[str]:
    """Entries as aligned rows under a header."""
    return columns([_HEADER, *map(_cells, entries)])


def line(entry: Entry) -> str:
    """One entry as a line on its own, for output that never ends and so cannot be aligned."""
    return printable("  ".join(_cells(entry)))


def details(entry: Entry) -> list[str]:
    """Everything one entry says, the body as indented JSON."""
    known = {"seq": str(entry.seq), "id": entry.id, "op": entry.op, "ts": entry.ts, "actor": entry.actor}
    proof = {"prev": entry.prev_hash.hex(), "hash": entry.hash.hex()}
    # In ASCII, so that no text inside can change what the terminal shows.
    body = json.dumps(entry.body, indent=2, ensure_ascii=True).splitlines()
    return [
        *columns(list({**known, "workspace": entry.workspace, **proof}.items())),
        "body",
        *map(printable, body),
    ]


def as_document(entry: Entry) -> dict[str, object]:
    """An entry as plain values, its hashes as hexadecimal text."""
    return {
        "seq": entry.seq,
        "id": entry.id,
        "op": entry.op,
        "ts": entry.ts,
        "actor": entry.actor,
        "workspace": entry.workspace,
        "body": entry.body,
        "prev_hash": entry.prev_hash.hex(),
        "hash": entry.hash.hex(),
    }
