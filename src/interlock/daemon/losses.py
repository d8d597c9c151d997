"""Entries that could not be written, told in one `gap` entry once writing works again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from interlock.ledger.entry import Entry

GAP: Final = "gap"
_WHY: Final = "the ledger could not be written"


class Losses:
    """How many, of which kinds, about which events, and between which times."""

    def __init__(self) -> None:
        self.count = 0
        self._ops: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self._span: tuple[str, str] | None = None

    def add(self, entries: Iterable[Entry]) -> None:
        """Count what was not written; a gap entry that was itself lost is told by the next one."""
        for entry in entries:
            if entry.op == GAP and entry.body.get("why") == _WHY:
                continue
            self.count += 1
            self._ops[entry.op] += 1
            if entry.event:
                self._events[entry.event] += 1
            first, last = self._span or (entry.ts, entry.ts)
            self._span = min(first, entry.ts), max(last, entry.ts)

    def told(self) -> dict[str, object]:
        """The body of the gap entry."""
        first, last = self._span or ("", "")
        return {
            "lost": self.count,
            "why": _WHY,
            "ops": dict(self._ops),
            "events": dict(self._events),
            "first": first,
            "last": last,
        }
