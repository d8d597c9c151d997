"""The entries of a commitment, found by the index and read in a thread of their own."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from interlock.commitments.deeds import deeds_of
from interlock.ledger.entry import Entry
from interlock.redaction.redactor import Redactor
from interlock.search.searching import search_among
from interlock.search.words import Fact, commitments_of, fact_word
from interlock.store.database import open_to_read
from interlock.tool import JsonObject

_MOST: Final = 500  # entries that are told, the newest


class Recorded:
    """What was done under a commitment."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def under(self, name: str) -> JsonObject:
        """Commands, file changes, other evidence and approvals; `earlier` says where there are more."""
        return await asyncio.to_thread(self._read, name)

    def _read(self, name: str) -> JsonObject:
        with closing(open_to_read(self._database)) as ledger:
            found = search_among(
                self._database,
                ledger,
                [fact_word(Fact.COMMITMENT, name)],
                None,
                lambda entry: _tells(entry) and name in commitments_of(entry.body),
                limit=_MOST,
            )
        told = deeds_of(found.entries)
        if found.before is not None:
            told["earlier"] = f"`interlock ledger search {name} --before {found.before}`"
        # What counts as a secret may have grown since it was recorded.
        clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(told)))
        return clean


def _tells(entry: Entry) -> bool:
    return entry.op != "decision" or (entry.event or "").startswith("PostToolUse")
