"""What worked after errors, gathered beside the work."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from interlock.features.remedies.api import Remedy
from interlock.features.remedies.index import RemedyIndex
from interlock.ledger.entry import Entry
from interlock.ledger.follower import LedgerFollower


class RemedyIndexer(LedgerFollower[None]):
    """Begins when a hook wants it; nothing helps until the ledger was read."""

    trouble = "what worked after errors is not collected"
    back = 100_000

    @cached_property
    def _index(self) -> RemedyIndex:
        return RemedyIndex()

    def of(self, folder: str, tool: str, error: str) -> Remedy | None:
        """What helped most often."""
        return self._index.get(self._root(folder), tool, error) if self._seen is not None else None

    def read(self, entries: Sequence[Entry]) -> None:
        """Taken in here, in the thread."""
        for entry in entries:
            self._index.add(entry)

    def add(self, found: None) -> None:
        """Nothing is left to do."""
