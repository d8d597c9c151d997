"""The entries of a commitment, found by the index and read in a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.deeds import carried_bodies, deeds_of
from interlock.ledger.entry import Entry
from interlock.redaction.redactor import Redactor
from interlock.search.finder import Among
from interlock.search.searching import search_among
from interlock.search.words import Fact, commitments_of, fact_word
from interlock.store.database import open_to_read

_MOST: Final = 500  # entries that are told, the newest
_MOST_GOING: Final = 5_000  # and that are carried over one removal


class Recorded:
    """What was done under a commitment."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def under(self, name: str) -> JsonObject:
        """Commands, file changes, other evidence and approvals; `earlier` says where there are more."""
        return await asyncio.to_thread(self._read, name)

    def going(self, names: Sequence[str], last: int) -> list[JsonObject]:
        """What tells the deeds of commitments anew, of those in entries up to one that are about to go."""
        entries = self._found(names, limit=_MOST_GOING, before=last + 1).entries
        return [body for name in names for body in carried_bodies(deeds_of(_of(name, entries)), name)]

    def _read(self, name: str) -> JsonObject:
        found = self._found([name], limit=_MOST)
        told = deeds_of(found.entries)
        if found.before is not None:
            told["earlier"] = f"`interlock ledger search {name} --before {found.before}`"
        # What counts as a secret may have grown since it was recorded.
        clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(told)))
        return clean

    def _found(self, names: Sequence[str], *, limit: int, before: int | None = None) -> Among:
        with closing(open_to_read(self._database)) as ledger:
            return search_among(
                self._database,
                ledger,
                [fact_word(Fact.COMMITMENT, name) for name in names],
                None,
                lambda entry: _tells(entry) and not set(names).isdisjoint(commitments_of(entry.body)),
                limit=limit,
                before=before,
            )


def _of(name: str, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if name in commitments_of(entry.body)]


def _tells(entry: Entry) -> bool:
    return entry.op != "decision" or (entry.event or "").startswith("PostToolUse")
