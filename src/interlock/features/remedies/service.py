"""What worked after errors, gathered in the daemon."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.features.remedies.index import Remedies, Remedy, RemedyIndex
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


class RemedyService:
    """Gathers once a hook asks for it."""

    def __init__(self, context: DaemonContext) -> None:
        policies, ledger = context.policies, context.ledger
        self._remedies: Final = RemedyIndexer(context.places.database)
        self._remedies.begin(lambda folder: policies.for_folder(folder).root)
        self._ledger: Final = ledger

    def hook_services(self) -> Mapping[type[Any], object]:
        """What helped."""
        return {Remedies: self._remedies}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Following the ledger."""
        return (self._remedies.run(lambda: self._ledger.head.seq),)
