"""A service that follows the ledger beside the calls, in a thread and half a second behind."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any, ClassVar, Final, Generic, TypeVar

from interlock.daemon.extension import DaemonContext
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
    """Offers itself to hooks by its class, and reads nothing until one of them wants it."""

    trouble: ClassVar[str]  # what is logged when it cannot go on
    back: ClassVar[int | None] = None  # how many of the newest entries count; None: all

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._seen: int | None = None
        self._wanted = False
        self._complete = False  # whether the end of the ledger was reached once

    def hook_services(self) -> Mapping[type[Any], object]:
        """Hooks ask for it by its class."""
        return {type(self): self}

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        return (self.run(),)

    def workspace_of(self, folder: str) -> str:
        return self._context.policies.for_folder(folder).root

    def want(self) -> None:
        """Somebody will ask: begin to read."""
        self._wanted = True

    @abstractmethod
    def read(self, entries: Sequence[Entry]) -> Found:
        """What the next entries hold; called in a thread."""

    @abstractmethod
    def add(self, found: Found) -> None:
        """Add that; called in the loop of the daemon, where hooks ask."""

    async def run(self) -> None:
        """Follow the ledger, until cancelled."""
        while True:
            await asyncio.sleep(_EVERY_SECONDS)
            if not self._wanted or (self._complete and self._context.ledger.head.seq == self._seen):
                continue
            try:
                await self._follow(self._context.ledger.head.seq)
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
        with closing(open_to_read(self._context.places.database)) as connection:
            entries = LedgerReader(connection).after(seen, limit=_STEP)
        return self.read(entries), entries[-1].seq if entries else seen, len(entries)
