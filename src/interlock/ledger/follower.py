"""Following the ledger beside the work: read in a thread, a little at a time, half a second behind."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import ClassVar, Final, Generic, TypeVar

from interlock.errors import InterlockError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 0.5
_AFTER_TROUBLE_SECONDS: Final = 60.0
_STEP: Final = 250  # entries at a time: some milliseconds

Found = TypeVar("Found")


class LedgerFollower(ABC, Generic[Found]):
    """Reads nothing until somebody wants it."""

    trouble: ClassVar[str]  # what is logged when it cannot go on
    back: ClassVar[int | None] = None  # how many of the newest entries count; None: all

    def __init__(self, database: Path) -> None:
        self._database: Final = database
        self._seen: int | None = None
        self._wanted = False
        self._complete = False  # whether the end of the ledger was reached once
        self._root: Callable[[str], str] = lambda folder: folder

    def begin(self, root: Callable[[str], str]) -> None:
        """Tell which workspace a folder belongs to."""
        self._root = root

    def want(self) -> None:
        """Somebody will ask: begin to read."""
        self._wanted = True

    @abstractmethod
    def read(self, entries: Sequence[Entry]) -> Found:
        """What the next entries hold; called in the thread."""

    @abstractmethod
    def add(self, found: Found) -> None:
        """Take that in; called where everybody asks."""

    async def run(self, head: Callable[[], int]) -> None:
        """Follow the ledger, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            if not self._wanted or (self._complete and head() == self._seen):
                continue
            try:
                await self._follow(head())
            except InterlockError as error:
                _log.warning("%s: %s", self.trouble, error)
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)

    async def _follow(self, head: int) -> None:
        seen = self._seen if self._seen is not None else 0 if self.back is None else max(0, head - self.back)
        count = _STEP
        while count == _STEP:
            found, seen, count = await asyncio.to_thread(self._step, seen)
            self.add(found)
            self._seen = seen
        self._complete = True

    def _step(self, seen: int) -> tuple[Found, int, int]:
        with closing(open_to_read(self._database)) as connection:
            entries = LedgerReader(connection).after(seen, limit=_STEP)
        return self.read(entries), entries[-1].seq if entries else seen, len(entries)
