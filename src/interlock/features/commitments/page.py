"""What is owed, at the end of the page Work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.requests import Request

from interlock.features.commitments.page_queries import Owed, commitments_of
from interlock.features.commitments.records import Status
from interlock.web.page import Part
from interlock.web.site import site_of

_OWED: Final = 100
_STATES: Final = ("", *(str(state) for state in Status))


class OwedView(msgspec.Struct, frozen=True, kw_only=True):
    """The commitments that were asked for."""

    owed: tuple[Owed, ...]
    more: int  # that are left out
    counts: Mapping[str, int]  # of all, by state
    state: str  # the one that is shown; empty: all that are not over


def view(request: Request) -> OwedView:
    """Those of the state that the address names."""
    site, state = site_of(request), request.query_params.get("state", "")
    state = state if state in _STATES else ""
    with site.reading() as connection:
        owed = commitments_of(site.places.database).of(connection)
    fitting = [one for one in owed if _fits(one, state)]
    counts = Counter(str(one.commitment.state) for one in owed)
    return OwedView(
        owed=tuple(fitting[:_OWED]),
        more=max(len(fitting) - _OWED, 0),
        counts={name: counts[name] for name in _STATES if name},
        state=state,
    )


def _fits(one: Owed, state: str) -> bool:
    return str(one.commitment.state) == state if state else not one.commitment.ended


PART = Part(page="work", file="commitments.html", view=view)
