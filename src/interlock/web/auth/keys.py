"""Keys of programs: what a script or a scraper shows instead of a cookie; in memory, as logins are."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Final, final

from interlock.store.clock import since_boot
from interlock.web.auth.sessions import Session

_SECONDS: Final = 30 * 24 * 3600.0
_MOST: Final = 16  # keys at once; the oldest gives way
_SCHEME: Final = "bearer "
# A key opens these and no page.
_API: Final = "/api/"
_METRICS: Final = "/metrics"


@final
class Keys:
    """Hands keys out to people; each stands for the person who asked for it."""

    def __init__(self, *, clock: Callable[[], float] = since_boot) -> None:
        self._clock: Final = clock
        self._open: Final[dict[bytes, Session]] = {}

    def give(self, person: str) -> str:
        """A new key for a person."""
        key = secrets.token_urlsafe(32)
        while len(self._open) >= _MOST:
            del self._open[next(iter(self._open))]
        # No form has its token, and no process is bound to it: whoever holds a key is who it was given to.
        ends = self._clock() + _SECONDS
        session = Session(key=_digest(key), csrf="", ends=ends, holders=frozenset(), person=person)
        self._open[session.key] = session
        return key

    def find(self, header: str, path: str) -> Session | None:
        """Whom an `Authorization` header stands for at a path."""
        opens = path == _METRICS or path.startswith(_API)
        if not opens or not header.lower().startswith(_SCHEME):
            return None
        session = self._open.get(_digest(header[len(_SCHEME) :].strip()))
        if session is None or self._clock() < session.ends:
            return session
        del self._open[session.key]
        return None


def _digest(key: str) -> bytes:
    # Looked up by digest, so that how long a look takes tells nothing of a key.
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()
