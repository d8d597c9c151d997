"""Scores of actors, kept up to date beside the work: the ledger is read in a thread, a little at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from interlock.errors import InterlockError
from interlock.features.trust_scores.api import Score
from interlock.features.trust_scores.history import History, Observation, Observer
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 0.5
_AFTER_TROUBLE_SECONDS: Final = 60.0
_STEP: Final = 250  # entries at a time: some milliseconds
_MOST: Final = 4_096
_MINUTE: Final = 60.0

Key = tuple[str, str, tuple[float, ...]]


class Scoring:
    """Reads nothing until somebody asks; then it stays behind the ledger by half a second."""

    def __init__(self, database: Path, clock: Callable[[], float] = time.time) -> None:
        self._database: Final = database
        self._clock: Final = clock
        self._history: Final = History()
        self._observer: Final = Observer()
        self._seen = 0
        self._read = False  # whether the end of the ledger was reached once
        self._wanted = False
        self._root: Callable[[str], str] = lambda folder: folder
        self._roots: Final[dict[str, str]] = {}
        self._known: Final[dict[Key, tuple[float, Score]]] = {}

    def begin(self, root: Callable[[str], str]) -> None:
        """Tell which workspace a folder belongs to."""
        self._root = root

    def of(self, actor: str, folder: str, weights: Mapping[str, float]) -> Score:
        """The score of an actor in the workspace a folder belongs to; neutral until the ledger was read."""
        self._wanted = True
        if not self._read:
            return Score()
        workspace = self._roots.get(folder)
        if workspace is None:
            if len(self._roots) >= _MOST:
                self._roots.clear()
            workspace = self._roots[folder] = self._root(folder)
        key = (actor, workspace, tuple(weights.values()))
        now = self._clock()
        known = self._known.get(key)
        if known is not None and now - known[0] < _MINUTE:
            return known[1]
        score = self._history.score(actor, workspace, now, weights)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = (now, score)
        return score

    async def run(self, head: Callable[[], int]) -> None:
        """Follow the ledger, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            if not self._wanted or (self._read and head() == self._seen):
                continue
            try:
                await self.follow()
            except InterlockError as error:
                _log.warning("scores are not kept up to date: %s", error)
                await asyncio.sleep(_AFTER_TROUBLE_SECONDS)

    async def follow(self) -> None:
        """Read to the end of the ledger; each step in a thread, what it found taken in here."""
        while True:
            found, last, count = await asyncio.to_thread(self._step)
            self._history.add(found)
            self._seen = last
            self._known.clear()
            if count < _STEP:
                self._read = True
                return

    def _step(self) -> tuple[list[Observation], int, int]:
        with closing(open_to_read(self._database)) as connection:
            entries = LedgerReader(connection).after(self._seen, limit=_STEP)
        found = [one for entry in entries for one in self._observer.observed(entry)]
        return found, entries[-1].seq if entries else self._seen, len(entries)
