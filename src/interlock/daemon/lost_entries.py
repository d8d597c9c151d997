"""Entries that could not be written, told in one `gap` entry once writing works again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from interlock.events.names import JUDGED
from interlock.ledger.entry import Entry

GAP: Final = "gap"
_WHY: Final = "the ledger could not be written"


class Losses:
    """How many, of which kinds, about which events, and between which times."""

    def __init__(self) -> None:
        self.count = 0
        self.open_passes = 0  # calls that went on although nothing of them was recorded
        self._ops: Counter[str] = Counter()
        self._events: Counter[str] = Counter()
        self._span: tuple[str, str] | None = None

    def add(self, entries: Iterable[Entry]) -> int:
        """Count what was not written; a gap entry that was itself lost is told by the next one.

        Gives how many calls among them have gone on, for what was only observed was answered before.
        """
        passed = 0
        for entry in entries:
            if entry.op == GAP and entry.body.get("why") == _WHY:
                continue
            self.count += 1
            passed += entry.op == "decision" and entry.event not in JUDGED
            if entry.op == GAP:  # it told of a call that was let pass undecided
                self.open_passes += int(entry.body.get("open_passes", 0))
            self._ops[entry.op] += 1
            if entry.event:
                self._events[entry.event] += 1
            first, last = self._span or (entry.ts, entry.ts)
            self._span = min(first, entry.ts), max(last, entry.ts)
        self.open_passes += passed
        return passed

    def told(self) -> dict[str, object]:
        """The body of the gap entry."""
        first, last = self._span or ("", "")
        return {
            "lost": self.count,
            "why": _WHY,
            "open_passes": self.open_passes,
            "ops": dict(self._ops),
            "events": dict(self._events),
            "first": first,
            "last": last,
        }
