"""The team ledger as text for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from interlock.cli.output import columns, printable, screen_width
from interlock.events.short_text import plural
from interlock.events.tool import JsonObject
from interlock.features.team_ledger.reader import MachineRow, TeamEntry
from interlock.features.team_ledger.verify import TeamVerification

_HEADER: Final = ("seq", "machine", "time", "received", "actor", "session", "op", "event", "tool", "decision")
_TIMES: Final = (2, 3)
_CUT: Final = {1: 6, 3: 8, 4: 8, 5: 5, 7: 6, 8: 4}
_MACHINES: Final = ("machine", "entries", "missing", "last entry", "received", "role", "ledger")


def _cells(entry: TeamEntry) -> tuple[str, ...]:
    return (
        str(entry.seq),
        entry.machine,
        entry.ts,
        entry.received,
        entry.actor,
        entry.session_id or "-",
        f"{entry.op} of {entry.missing}" if entry.missing else entry.op,
        entry.event or "-",
        entry.tool or "-",
        entry.decision or "-",
    )


def entry_table(entries: Sequence[TeamEntry]) -> list[str]:
    """Entries as aligned rows under a header, as wide as the screen."""
    rows = [list(_cells(entry)) for entry in entries]
    width = screen_width()
    if width is not None:
        for row in rows:
            for at in _TIMES:
                row[at] = f"{row[at][:19]}Z"
    return columns([_HEADER, *rows], cut=_CUT, width=width)


def entry_line(entry: TeamEntry) -> str:
    """One entry as a line on its own."""
    return printable("  ".join(_cells(entry)))


def entry_details(entry: TeamEntry) -> list[str]:
    """Everything one entry says, the body as indented JSON."""
    known = {key: value for key, value in entry.document.items() if key != "body"}
    shown = json.dumps(entry.body, indent=2, ensure_ascii=True).splitlines()
    return [*columns([(key, str(value)) for key, value in known.items()]), "body", *map(printable, shown)]


def machine_table(rows: Sequence[MachineRow]) -> list[str]:
    """How far each machine has come."""
    cells = [
        (
            row.machine,
            str(row.entries),
            str(row.missing),
            str(row.seq),
            row.last_received,
            row.role,
            row.ledger[:8],
        )
        for row in rows
    ]
    return columns([_MACHINES, *cells])


def verdict_lines(found: TeamVerification) -> list[str]:
    """What was found, for people."""
    if found.broken:
        return [printable(f"broken at {found.broken.seq}: {found.broken.what}")]
    gaps = f"; {found.missing} of them are missing and counted" if found.missing else ""
    count = len(found.machines)
    return [
        f"verified: {found.entries} entries of {plural(count, 'machine')}{gaps}",
        *(f"  {printable(name)}: {number} entries" for name, number in sorted(found.machines.items())),
        *([f"signed on machines: {found.checkpoints} checkpoints hold"] if found.checkpoints else []),
        *([f"this machine remembers entry {found.witnessed}, unchanged"] if found.witnessed else []),
        f"head: {found.head.seq} {found.head.hash.hex()}",
    ]


def unknown_words(found: TeamVerification) -> list[str]:
    """What nobody can know from here."""
    if found.broken:
        return []
    if found.witnessed:
        return [
            f"whether entries after {found.head.seq} were removed, only the machines that sent them know."
        ]
    what = "whether all of it was written anew or its end removed cannot be known"
    return [f"this machine has shipped nothing here, so {what}: run it on a machine that ships."]


def verdict_document(found: TeamVerification) -> JsonObject:
    """The same for scripts."""
    return {
        "verified": found.broken is None,
        "entries": found.entries,
        "fleet": found.fleet,
        "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
        "machines": found.machines,
        "missing": found.missing,
        "checkpoints": found.checkpoints,
        "witnessed": found.witnessed,
        "broken": {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None,
        "unknown": unknown_words(found),
    }
