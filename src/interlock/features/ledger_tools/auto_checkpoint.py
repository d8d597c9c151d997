"""Checkpoints that are made by themselves and put elsewhere."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from interlock.daemon.group_commit import Committer
from interlock.errors import StoreError
from interlock.events.tool import JsonObject
from interlock.files.own_files import write_whole
from interlock.policy.settings.ledger import Checkpoints
from interlock.store.statements import statements

_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 60.0


class AutoCheckpointer:
    """Looks now and then whether enough was recorded since the last checkpoint."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        make: Callable[[], JsonObject],
        committer: Committer,
        *,
        settings: Callable[[], Checkpoints | None],
        head: Callable[[], int],
    ) -> None:
        self._connection: Final = connection
        self._make: Final = make
        self._committer: Final = committer
        self._settings: Final = settings
        self._head: Final = head
        self._trouble = ""  # what was said last, so that it is said once

    async def watch(self, seconds: float = _EVERY_SECONDS) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            self.look()

    def look(self) -> None:
        """Make a checkpoint if one is due; that it cannot be put away is an alarm, once."""
        settings = self._settings()
        if settings is None or self._head() - self._last() < settings.every:
            return
        try:
            self._put(Path(settings.folder))
        except (OSError, sqlite3.Error, StoreError) as error:
            self._tell(f"no checkpoint can be put into `{settings.folder}`: {error}")
        else:
            self._trouble = ""

    def _put(self, folder: Path) -> None:
        if not folder.is_dir():
            # Not made by us: below the place of a disk that is not there it would be on this one.
            raise NotADirectoryError("there is no such folder; is its disk there?")
        made = self._make()
        text = json.dumps(made, sort_keys=True).encode() + b"\n"
        write_whole(folder / f"{str(made['ledger'])[:8]}-{made['seq']:010d}.json", text, mode=0o600)

    def _last(self) -> int:
        found = self._connection.execute(statements("proof")["last_checkpoint"]).fetchone()
        return int(found[0]) if found else 0

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            _log.warning("%s", trouble)
            self._committer.note("alarm", {"reason": trouble})
        self._trouble = trouble
