"""What worked after errors, gathered beside the work: the ledger is read in a thread, a little at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from interlock.errors import InterlockError
from interlock.features.remedies.api import Remedy
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

if TYPE_CHECKING:
    from interlock.features.remedies.index import RemedyIndex

_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 0.5
_AFTER_TROUBLE_SECONDS: Final = 60.0
_STEP: Final = 250  # entries at a time: some milliseconds
_BACK: Final = 100_000  # entries; what was further back is forgotten


class Remedying:
    """Reads nothing until a hook wants it; then it stays behind the ledger by half a second."""

    def __init__(self, database: Path) -> None:
        self._database: Final = database
        self._root: Callable[[str], str] = lambda folder: folder
        self._index: RemedyIndex | None = None
        self._wanted = False
        self._seen: int | None = None

    def begin(self, root: Callable[[str], str]) -> None:
        """Tell which workspace a folder belongs to."""
        self._root = root

    def want(self) -> None:
        """Somebody will ask: begin to gather."""
        self._wanted = True

    def of(self, folder: str, tool: str, error: str) -> Remedy | None:
        """What helped most often; nothing until the ledger was read."""
        return self._index.get(self._root(folder), tool, error) if self._index else None

    async def run(self, head: Callable[[], int]) -> None:
        """Follow the ledger, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            if not self._wanted or head() == self._seen:
                continue
            try:
                await self.follow(head())
            except InterlockError as error:
                _log.warning("what worked after errors is not gathered: %s", error)
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)

    async def follow(self, head: int) -> None:
        """Read to the end of the ledger; each step in a thread, what it read taken in there."""
        if self._index is None:
            from interlock.features.remedies.index import RemedyIndex  # noqa: PLC0415 - no part of a cold start

            self._index = RemedyIndex()
        seen = max(0, head - _BACK) if self._seen is None else self._seen
        while True:
            seen, count = await asyncio.to_thread(self._step, self._index, seen)
            self._seen = seen
            if count < _STEP:
                return

    def _step(self, index: RemedyIndex, seen: int) -> tuple[int, int]:
        with closing(open_to_read(self._database)) as connection:
            entries = LedgerReader(connection).after(seen, limit=_STEP)
        for entry in entries:
            index.add(entry)
        return entries[-1].seq if entries else seen, len(entries)
