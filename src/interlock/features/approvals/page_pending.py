"""What waits for an answer, told to browsers as it changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from interlock.features.approvals.page_queries import pending_names
from interlock.web.live import event, stream
from interlock.web.page import visit_of
from interlock.web.site import Site, site_of

_LOOK_SECONDS: Final = 0.5


async def pending_events(request: Request) -> Response:
    """The names of the requests that wait, at once and whenever they change."""
    return stream(visit_of(request), _pending(site_of(request)))


async def _pending(site: Site) -> AsyncGenerator[bytes]:
    told: list[str] | None = None
    with site.reading() as connection:
        while True:
            found = pending_names(connection)
            # Nothing new is a turn too: it is then that a login's end is seen.
            yield event("pending", found) if found != told else b""
            told = found
            await asyncio.sleep(_LOOK_SECONDS)
