"""How often each hook was asked, by what the ledger recorded."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from interlock.features.lint.upkeep import Asked
from interlock.ledger.reader import LedgerReader
from interlock.store.database import open_to_read

_PAGE: Final = 2_000


class _Row(msgspec.Struct):
    hook: str = ""
    source: str = ""


class _Body(msgspec.Struct):
    event: str = ""
    trace: list[_Row] = []


class _Entry(msgspec.Struct):
    body: _Body


_decode: Final = msgspec.json.Decoder(_Entry).decode


def asked_in(database: Path, days: int, now: dt.datetime | None = None) -> Asked:
    """Count the decisions of the last days, newest first, until one is older."""
    since = (now or dt.datetime.now(dt.UTC)) - dt.timedelta(days=days)
    hooks: Counter[tuple[str, str]] = Counter()
    events: Counter[str] = Counter()
    before = None
    with closing(open_to_read(database)) as connection:
        reader = LedgerReader(connection)
        while entries := reader.page(limit=_PAGE, before=before):
            for entry in entries:
                if dt.datetime.fromisoformat(entry.ts) < since:
                    return _asked(days, hooks, events)
                if entry.event is None:
                    continue
                body = _decode(entry.payload).body
                events[body.event] += 1
                hooks.update((row.hook, row.source.rpartition(":")[0] or row.source) for row in body.trace)
            before = entries[-1].seq
    return _asked(days, hooks, events)


def _asked(days: int, hooks: Counter[tuple[str, str]], events: Counter[str]) -> Asked:
    return Asked(days=days, by_hook=dict(hooks), by_event=dict(events))
