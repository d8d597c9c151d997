"""The last decisions, as the ledger has them."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.web.decision_line import CallRow, DecisionLine, line_from, rows_of
from interlock.web.queries.calls import captured_behind
from interlock.web.queries.grouping import Calls

_SHOWN: Final = 50
_SPAN: Final = 5_000  # entries looked through; what is older is on the ledger's page


def last_decisions(connection: Connection, wanted: Filter) -> list[CallRow]:
    """The newest that fit, the newest first; those of one call together."""
    reader, calls = LedgerReader(connection), Calls()
    newest = reader.tail(1)
    low = max(newest[0].seq - _SPAN, 0) if newest else 0
    found = reader.page(wanted, limit=_SHOWN, low=low)
    return rows_of([_line(connection, calls, entry) for entry in reversed(found)])


def _line(connection: Connection, calls: Calls, entry: Entry) -> DecisionLine:
    trace = entry.body.get("trace")
    hooks = len(trace) if isinstance(trace, list) else 0
    return line_from(entry, calls, captured_behind(connection, entry, hooks))
