"""The ledger as a whole, in the daemon: its end is signed, its front removed, others' entries taken in."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any, Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.group_commit import Committer
from interlock.daemon.jsonrpc import Methods
from interlock.errors import StoreError
from interlock.events.tool import JsonObject
from interlock.features.ledger_tools.rpc import LedgerAdmin
from interlock.files.own_files import write_whole
from interlock.ledger.signing import FILE as SIGNING_KEY
from interlock.ledger.signing import Signer
from interlock.policy.settings.ledger import CHECKPOINTS, Checkpoints
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
            self._write_checkpoint(Path(settings.folder))
        except (OSError, sqlite3.Error, StoreError) as error:
            self._tell(f"cannot write a checkpoint to `{settings.folder}`: {error}")
        else:
            self._trouble = ""

    def _write_checkpoint(self, folder: Path) -> None:
        if not folder.is_dir():
            # Not made by us: below the place of a disk that is not there it would be on this one.
            raise NotADirectoryError("there is no such folder; is its disk mounted?")
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


class LedgerTools:
    """Works for people who ask, and by itself as the policy says."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context
        self._admin: Final = LedgerAdmin(
            context.connection,
            context.ledger,
            context.committer,
            Signer(context.places.state / SIGNING_KEY),
            rule=context.policies.retention,
            loop=context.loop,
            carry=context.extensions.before_removal,
            shipped=context.extensions.shipped,
        )

    def people_methods(self) -> Methods:
        """Signing, pruning, importing."""
        return self._admin.methods

    def watches(self) -> Iterable[Coroutine[Any, Any, None]]:
        """Retention, and checkpoints that are made by themselves."""
        context = self._context
        checkpoints = AutoCheckpointer(
            context.connection,
            lambda: self._admin.checkpoint({}),
            context.committer,
            settings=lambda: CHECKPOINTS.of(context.policies.for_folder("")),
            head=lambda: context.ledger.head.seq,
        )
        return self._look_after_retention(), checkpoints.watch()

    async def _look_after_retention(self) -> None:
        self._admin.watch()
        try:
            await asyncio.Future()
        finally:
            self._admin.close()
