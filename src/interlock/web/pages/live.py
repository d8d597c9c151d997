"""The page Live: decisions as they happen."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from interlock.ledger.reader import Filter, LedgerReader
from interlock.web.live import CallRow, line_from, rows_of, stream
from interlock.web.page import Page, render, visit_of
from interlock.web.queries.calls import Calls, captured_behind
from interlock.web.site import site_of

_SHOWN: Final = 50
_SPAN: Final = 5_000  # entries searched; the ledger's page shows older ones


def last_decisions(connection: Connection, wanted: Filter) -> list[CallRow]:
    """The newest matching decisions, grouped by call, newest first."""
    reader, calls = LedgerReader(connection), Calls()
    newest = reader.tail(1)
    low = max(newest[0].seq - _SPAN, 0) if newest else 0
    found = reader.page(wanted, limit=_SHOWN, low=low)
    lines = []
    for entry in reversed(found):
        trace = entry.body.get("trace")
        hooks = len(trace) if isinstance(trace, list) else 0
        lines.append(line_from(entry, calls, captured_behind(connection, entry, hooks)))
    return rows_of(lines)


_BY: Final = ("session", "actor", "tool", "decision")
_DECISIONS: Final = ("allow", "ask", "deny")


class LiveView(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions so far; the stream adds later ones."""

    rows: list[CallRow]
    wanted: Filter
    decisions: tuple[str, ...] = _DECISIONS


def show(request: Request) -> Response:
    given = {name: request.query_params.get(name, "")[:200] or None for name in _BY}
    wanted = Filter(op="decision", **given)
    with site_of(request).reading() as connection:
        rows = last_decisions(connection, wanted)
    return render(request, "live", LiveView(rows=rows, wanted=wanted))


async def events(request: Request) -> Response:
    """Stream decisions from now on."""
    return stream(visit_of(request), site_of(request).live.follow())


PAGE = Page(name="live", title="Live", order=10, shows={"/live": show, "/live/events": events})
