"""Keeping the search index up to date beside the work: in a thread, a little at a time, more in quiet."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from interlock.errors import StoreError
from interlock.search.index import SearchIndex, discard, index_beside, is_damaged, open_index
from interlock.store.database import open_to_read

_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 2.0
_AFTER_TROUBLE_SECONDS: Final = 60.0
_STEP: Final = 250  # entries in one transaction: some 13 ms, half of it outside the interpreter's lock


class SearchIndexer:
    """Fills the index of one database; `events` counts the calls, so that a busy daemon is left alone.

    Whoever searches fills in what is missing, so nothing depends on this being done.
    """

    def __init__(self, database: Path, head: Callable[[], int], events: Callable[[], int]) -> None:
        self._database: Final = database
        self._head: Final = head
        self._events: Final = events
        self._filled = -1  # the head when the index was last complete
        self._ended = False

    async def run(self) -> None:
        """Look every now and then, until cancelled."""
        try:
            while True:
                await asyncio.sleep(_EVERY_SECONDS)
                if self._head() != self._filled and not await asyncio.to_thread(self._try_step):
                    await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
        finally:
            self._ended = True

    def _try_step(self) -> bool:
        try:
            self.step()
        except (sqlite3.Error, StoreError) as error:
            _log.warning("the search index is not kept up to date: %s", error)
            if isinstance(error, sqlite3.Error) and is_damaged(error):
                discard(index_beside(self._database))
            return False
        return True

    def step(self) -> None:
        """Take in one group of entries, and all that are missing while no call comes in."""
        head, events = self._head(), self._events()
        with (
            closing(open_to_read(self._database)) as ledger,
            closing(open_index(index_beside(self._database))) as connection,
        ):
            index = SearchIndex(connection, ledger)
            while index.fill(_STEP) == _STEP:
                if self._ended or self._events() != events:
                    return
        self._filled = head
