"""Server-sent events: a stream that ends when its login does."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from interlock.web.auth.guard import Visit

_QUIET_SECONDS: Final = 15.0  # after which a sign of life is sent, by which a browser that left is noticed
_ALIVE: Final = b": alive\n\n"


def event(kind: str, data: object) -> bytes:
    """One event; JSON holds no line break, so one line is enough."""
    written = msgspec.json.encode(data, enc_hook=str)  # of what is no plain text, as `Seen`, its text
    return b"event: " + kind.encode() + b"\ndata: " + written + b"\n\n"


def stream(visit: Visit, pieces: AsyncGenerator[bytes]) -> StreamingResponse:
    """Send pieces as they come; an empty one only gives time to look around."""
    return StreamingResponse(_while_logged_in(visit, pieces), media_type="text/event-stream")


async def _while_logged_in(visit: Visit, pieces: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    sessions, session = visit.site.sessions, visit.session
    sent = time.monotonic()
    yield b"retry: 2000\n\n"
    async with aclosing(pieces):  # what they hold is let go when the browser leaves, not some time after
        async for piece in pieces:
            if session is None or not sessions.stands(session):
                return
            if piece:
                yield piece
            elif time.monotonic() - sent > _QUIET_SECONDS:
                yield _ALIVE
            else:
                continue
            sent = time.monotonic()
