"""Removes the oldest entries: announced in an entry first, then in steps so short that no call waits.

A crash anywhere leaves a chain that verifies: the announcing entry is on disk before anything is removed,
and each step removes entries and moves the base in one transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from typing import Final, TypeVar

from interlock.errors import LedgerError
from interlock.ledger.ends import Base, Removal, last_removal, read_base
from interlock.ledger.entry import Head
from interlock.policy.settings.ledger import Retention
from interlock.store.clock import timestamp
from interlock.store.statements import statements, transaction

_LOOK: Final = 2_000  # entries looked at in a step
_ROWS: Final = 64  # entries removed in a step,
_BYTES: Final = 256 * 1024  # or as many as hold this much
_SLACK: Final = 10  # by size, a tenth more goes than must, so that not every look finds something
_HELD: Final = 2  # times the size: the most that is kept for a team ledger that cannot be reached

Found = TypeVar("Found")
Steps = Generator[None, None, Found]


def whole(steps: Steps[Found]) -> Found:
    """Take every step at once, where no call can be waiting."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Found = end.value
            return found


def find_end(
    connection: sqlite3.Connection, rule: Retention, now: float, head: Head, shipped: int | None = None
) -> Steps[tuple[Head, str] | None]:
    """The last entry a rule removes, and the rule in words; the one that asks for most counts.

    With `shipped`, later entries are kept for the team ledger, until there is twice as much as the rule
    allows: a full disk would stop everything.
    """
    base = read_base(connection)
    found: list[tuple[int, str]] = []
    free = head.seq if shipped is None else shipped
    if rule.seconds is not None:
        last = yield from _older(connection, base, head, now - rule.seconds)
        found.append((min(last, free), f"older than {_age(rule.seconds)}"))
    if rule.size is not None:
        last = _beyond(connection, base, head, rule.size)
        found.append((min(last, free), f"more than {_size(rule.size)}"))
        if last > free:
            most = rule.size * _HELD
            words = f"more than {_size(most)}, which the team ledger does not have yet"
            found.append((_beyond(connection, base, head, most), words))
    last, words = max(found, default=(0, ""))
    if last <= base.seq:
        return None
    row = connection.execute(statements("ledger")["hash_at"], (last,)).fetchone()
    return (Head(last, row[0]), words) if row else None


def _older(connection: sqlite3.Connection, base: Base, head: Head, before: float) -> Steps[int]:
    """The last of the entries at the front that are all older; clocks jump, so each is looked at."""
    ts, after = timestamp(max(before, 0)), base.seq
    while after < head.seq:
        upto = min(after + _LOOK, head.seq)
        stretch = {"after": after, "upto": upto, "ts": ts}
        young: int | None = connection.execute(statements("proof")["young"], stretch).fetchone()[0]
        if young is not None:
            return young - 1
        after = upto
        yield
    return after


def _beyond(connection: sqlite3.Connection, base: Base, head: Head, most: int) -> int:
    """The last entry that must go so that the rest fits, by what an entry takes on average."""
    pages, free, page = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    used, entries = (pages - free) * page, head.seq - base.seq
    if used <= most or not entries:
        return base.seq
    share = min(1.0, (used - most + most // _SLACK) / used)
    return base.seq + max(1, int(entries * share))


def unfinished_removal(connection: sqlite3.Connection) -> tuple[int, Removal] | None:
    """A removal that was announced but not finished: its entry, and what it announces."""
    found = last_removal(connection)
    if found is None or found[1].ledger != read_base(connection).ledger:
        return None
    return found if found[1].last > read_base(connection).seq else None


def remove(connection: sqlite3.Connection, entry: int, removal: Removal) -> Iterator[int]:
    """Remove what an entry on disk announces, a step at a time; yield how many are left."""
    while (base := read_base(connection)).seq < removal.last:
        _step(connection, base, entry, removal)
        yield removal.last - read_base(connection).seq


def _step(connection: sqlite3.Connection, base: Base, entry: int, removal: Removal) -> None:
    last = _last_of_step(connection, base.seq, removal.last)
    found = connection.execute(statements("ledger")["hash_at"], (last,)).fetchone()
    if found is None or last == base.seq:
        raise LedgerError(f"cannot remove entry {base.seq + 1}: it is missing; run `interlock ledger verify`")
    sql = statements("proof")
    moved = {"seq": last, "hash": found[0], "entry": entry, "signature": removal.signature}
    # Not synced: a step lost with the power is done again, and the next entry's sync covers this one too.
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        with transaction(connection):
            connection.execute(sql["remove"], (last,))
            connection.execute(sql["remove_blocks"], (last,))
            connection.execute(sql["move_base"], moved)
    finally:
        connection.execute("PRAGMA synchronous = FULL")


def _last_of_step(connection: sqlite3.Connection, after: int, upto: int) -> int:
    stretch = {"after": after, "upto": upto, "most": _ROWS}
    last, size = after, 0
    for seq, length in connection.execute(statements("proof")["sizes"], stretch):
        if last > after and size + length > _BYTES:
            break
        last, size = seq, size + length
    return last


def _age(seconds: float) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds % length == 0:
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:g}s"


def _size(count: int) -> str:
    for unit, power in (("GB", 30), ("MB", 20), ("KB", 10)):
        if count % (1 << power) == 0:
            return f"{count >> power}{unit}"
    return f"{count}B"
