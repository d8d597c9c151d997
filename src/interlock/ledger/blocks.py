"""Where the entries of a session or an actor are: blocks of the ledger instead of an index of every entry.

An index by session has a page for each session that is active, and every commit would write all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from interlock.ledger.entry import COLUMNS

SIZE: Final = 512  # seqs in a block; the statements that read them know it too
SESSION: Final = "session"
ACTOR: Final = "actor"
_ACTOR: Final = COLUMNS.index("actor")
_SESSION: Final = COLUMNS.index("session_id")

Row = tuple[Any, ...]  # the columns of `Entry`, in its order
Mark = tuple[str, str | None, int]  # the kind of name, the name, the block


class Blocks:
    """Remembers which marks the newest block has, so that few entries bring one."""

    def __init__(self) -> None:
        self._block = -1
        self._known: Final[set[Mark]] = set()
        self._names: Final[set[tuple[str, str | None]]] = (
            set()
        )  # actor and session of entries that brought all

    def new(self, rows: Iterable[Row]) -> list[Mark]:
        """The marks these entries need and no entry before them brought."""
        found = []
        for row in rows:
            if (block := row[0] // SIZE) != self._block:
                self._block = block
                self._known.clear()
                self._names.clear()
            names = (row[_ACTOR], row[_SESSION])
            if names in self._names:  # as nearly every entry's
                continue
            self._names.add(names)
            marks = marks_of(row)
            found += [mark for mark in marks if mark not in self._known and mark[1] is not None]
            self._known.update(marks)
        return found

    def has(self, row: Row) -> bool:
        """Whether an entry brings no mark, as one knows without looking closer."""
        return row[0] // SIZE == self._block and (row[_ACTOR], row[_SESSION]) in self._names

    def forget(self) -> None:
        """Nothing is known of what is stored; a mark written twice is harmless."""
        self._block = -1


def marks_of(row: Row) -> tuple[Mark, Mark]:
    """Under which names an entry is looked for, and where; a name may be None."""
    block = row[0] // SIZE
    return (ACTOR, row[_ACTOR], block), (SESSION, row[_SESSION], block)
