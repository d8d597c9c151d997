"""What sessions did, read from the ledger beside the loop."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Final, final

from interlock.features.session_reports.api import Flow
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.store.database import open_to_read

_PAGE: Final = 500
_MOST: Final = 5_000  # entries of one session: a day of an agent at work
_SETTLED: Final = 0.06  # seconds after which what was only observed is on the disk, too


@final
class FlowsInLedger:
    """Opens the database to read for each question, in a thread: a session can be long."""

    def __init__(self, database: Path, folder: Path) -> None:
        self._database: Final = database
        self._folder: Final = folder

    @property
    def folder(self) -> str:
        """Where reports are kept unless somebody says otherwise."""
        return str(self._folder)

    async def of(self, session_id: str) -> Flow:
        """What a session did until now."""
        await asyncio.sleep(_SETTLED)
        return await asyncio.to_thread(self._read, session_id)

    def _read(self, session_id: str) -> Flow:
        from interlock.features.session_reports.summary import flow_of  # noqa: PLC0415 - few sessions are reported on

        wanted = Filter(session=session_id, op="decision")
        found: list[Entry] = []
        with closing(open_to_read(self._database)) as connection:
            reader = LedgerReader(connection)
            page = reader.page(wanted, limit=_PAGE)
            while page and len(found) < _MOST:
                found += page
                page = reader.page(wanted, limit=_PAGE, before=page[-1].seq)
        return flow_of(reversed(found), whole=not page)
