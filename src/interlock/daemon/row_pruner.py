"""Removes rows older than the entries the ledger keeps, a few at a time, so that no call waits."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from typing import Final, final

from interlock.errors import InterlockError
from interlock.ledger.ends import read_base
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import Retention
from interlock.store.clock import timestamp
from interlock.store.errors import explain

_log: Final = logging.getLogger(__name__)
EVERY_SECONDS: Final = 600.0
_PAUSE_SECONDS: Final = 0.005
_STEP: Final = 100  # rows removed in one transaction

Forget = Callable[[str, int], int]  # removes at most so many rows from before a time; returns how many
Rule = Callable[[], Retention | None]  # None: unknown, so nothing is removed


@final
class RowPruner:
    """Prunes one table by the ledger's retention rule."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        forget: Forget,
        what: str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._forget: Final = forget
        self._what: Final = what
        self._clock: Final = clock

    async def watch(self, rule: Rule, seconds: float = EVERY_SECONDS) -> None:
        """Prune from time to time, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            found = rule()
            before = self.before(found) if found is not None else None
            gone = _STEP if before else 0
            while before and gone == _STEP:
                gone = self.step(before)
                await asyncio.sleep(_PAUSE_SECONDS)  # calls are served in between

    def before(self, rule: Retention) -> str | None:
        """Rows from this time on stay; None: all do.

        The rule gives the time, or the ledger's first entry if older ones were removed by size or by hand.
        """
        by_age = timestamp(max(self._clock() - rule.seconds, 0)) if rule.seconds is not None else None
        try:
            base = read_base(self._connection).seq
            first = LedgerReader(self._connection).after(base, limit=1) if base else []
        except (sqlite3.Error, InterlockError) as error:
            _log.warning("%s were not searched for old rows: %s", self._what, error)
            return by_age
        return max(filter(None, (by_age, first[0].ts if first else None)), default=None)

    def step(self, before: str) -> int:
        """Remove some rows, unless a transaction waits to be committed."""
        if self._ledger.joined:
            return 0
        try:
            return self._forget(before, _STEP)
        except (sqlite3.Error, InterlockError) as error:
            why = explain(error) if isinstance(error, sqlite3.Error) else error
            _log.warning("%s were not removed: %s", self._what, why)
        return 0
