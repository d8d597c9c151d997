"""The last decisions, as the ledger has them."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

from interlock.ledger.reader import Filter, LedgerReader
from interlock.web.decision_line import DecisionLine, line_from

_SHOWN: Final = 50
_SPAN: Final = 5_000  # entries looked through; what is older is on the ledger's page


def last_decisions(connection: Connection, wanted: Filter) -> list[DecisionLine]:
    """The newest that fit, the newest first."""
    reader = LedgerReader(connection)
    newest = reader.tail(1)
    low = max(newest[0].seq - _SPAN, 0) if newest else 0
    return [line_from(entry) for entry in reader.page(wanted, limit=_SHOWN, low=low)]
