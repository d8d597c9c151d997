"""The page Live: decisions as they happen."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from interlock.ledger.reader import Filter
from interlock.web.decision_line import CallRow
from interlock.web.page import Page, render, visit_of
from interlock.web.queries.decisions import last_decisions
from interlock.web.site import site_of
from interlock.web.stream import stream

_BY: Final = ("session", "actor", "tool", "decision")
_DECISIONS: Final = ("allow", "ask", "deny")


class LiveView(msgspec.Struct, frozen=True, kw_only=True):
    """What the page begins with; the rest comes by itself."""

    rows: list[CallRow]
    wanted: Filter
    decisions: tuple[str, ...] = _DECISIONS


def show(request: Request) -> Response:
    """The last decisions, and a place for those to come."""
    given = {name: request.query_params.get(name, "")[:200] or None for name in _BY}
    wanted = Filter(op="decision", **given)
    with site_of(request).reading() as connection:
        rows = last_decisions(connection, wanted)
    return render(request, "live", LiveView(rows=rows, wanted=wanted))


async def events(request: Request) -> Response:
    """Decisions from now on."""
    return stream(visit_of(request), site_of(request).live.follow())


PAGE = Page(name="live", title="Live", order=10, shows={"/live": show, "/live/events": events})
