"""Ledger entries as text for people and as documents for scripts."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer

from interlock.cli.output import columns, printable, screen_width
from interlock.events.tool import JsonObject
from interlock.ledger.entry import Entry
from interlock.ledger.report import Standing

_HEADER = ("seq", "time", "actor", "session", "op", "event", "tool", "decision")
_TIME = 1
_CUT = {2: 8, 3: 5, 5: 6, 6: 4}  # of which a narrow screen shows the beginning, and how much at least


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
    """Entries as aligned rows under a header, as wide as the screen."""
    rows = [list(_cells(entry)) for entry in entries]
    width = screen_width()
    if width is not None:
        for row in rows:
            row[_TIME] = f"{row[_TIME][:19]}Z"  # seconds are enough to look at, and --since takes them
    return columns([_HEADER, *rows], cut=_CUT, width=width)


def line(entry: Entry) -> str:
    """One entry as a line on its own, for output that never ends and so cannot be aligned."""
    return printable("  ".join(_cells(entry)))


def older(entries: Sequence[Entry], limit: int) -> None:
    """Say where the next page begins, when there may be one."""
    if len(entries) == limit and entries[-1].seq > 1:
        typer.echo(f"older entries: --before {entries[-1].seq}", err=True)


def details(entry: Entry, standing: Standing) -> list[str]:
    """Everything one entry says and how it is proved, the body as indented JSON."""
    known = {"seq": str(entry.seq), "id": entry.id, "op": entry.op, "ts": entry.ts, "actor": entry.actor}
    proof = {"prev": entry.prev_hash.hex(), "hash": entry.hash.hex(), **standing.words(entry)}
    body, diff = _apart(entry.body)
    # In ASCII, so that no text inside can change what the terminal shows.
    shown = json.dumps(body, indent=2, ensure_ascii=True).splitlines()
    return [
        *columns(list({**known, "workspace": entry.workspace, **proof}.items())),
        "body",
        *map(printable, shown),
        *(["diff", *map(printable, diff)] if diff else []),
    ]


def _apart(body: JsonObject) -> tuple[JsonObject, list[str]]:
    """The body and the lines of the diff in its data, which nobody can read inside JSON."""
    data = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("diff"), str):
        return body, []
    lines = data["diff"].split("\n")
    return {**body, "data": {**data, "diff": f"{len(lines) - 1} lines, below"}}, lines[:-1] or lines


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
