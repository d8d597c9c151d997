"""Who is logged in: in memory only, so that every login ends with the process."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Final, final

import msgspec

from interlock.store.clock import since_boot
from interlock.web.auth.peers import Holders

COOKIE: Final = "interlock"
LONGEST_SECONDS: Final = 12 * 3600.0
_IDLE_SECONDS: Final = 3600.0
_MOST: Final = 64  # logins at once; the oldest gives way


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One login of one browser."""

    key: bytes  # the digest of its cookie
    csrf: str  # stands in every form
    ends: float
    person: str  # who is logged in
    holders: Holders  # the browser's processes; a cookie that leaves them is worth nothing


@final
class Sessions:
    """The logins that stand."""

    def __init__(self, *, clock: Callable[[], float] = since_boot) -> None:
        self._clock: Final = clock
        self._open: Final[dict[bytes, Session]] = {}
        self._used: Final[dict[bytes, float]] = {}

    def begin(self, holders: Holders, person: str) -> tuple[str, Session]:
        """Log a browser in; gives its cookie."""
        cookie = secrets.token_urlsafe(32)
        now = self._clock()
        session = Session(
            key=_digest(cookie),
            csrf=secrets.token_urlsafe(32),
            ends=now + LONGEST_SECONDS,
            holders=holders,
            person=person,
        )
        while len(self._open) >= _MOST:
            self.end(next(iter(self._open.values())))
        self._open[session.key] = session
        self._used[session.key] = now
        return cookie, session

    def find(self, cookie: str, holders: Holders, *, use: bool = True) -> Session | None:
        """The login a cookie stands for, if it still stands and the same browser brings it."""
        session = self._open.get(_digest(cookie))
        if session is None or not self.stands(session):
            return None
        if session.holders and session.holders.isdisjoint(holders):
            return None
        if use:
            self._used[session.key] = self._clock()
        return session

    def stands(self, session: Session) -> bool:
        """Whether a login is not over; one that is, is forgotten."""
        now = self._clock()
        used = self._used.get(session.key)
        if used is None:
            return False
        if now < session.ends and now < used + _IDLE_SECONDS:
            return True
        self.end(session)
        return False

    def end_all(self) -> None:
        """Log everybody out; their streams end within a second."""
        self._open.clear()
        self._used.clear()

    def end(self, session: Session) -> None:
        """Log a browser out."""
        self._open.pop(session.key, None)
        self._used.pop(session.key, None)


def _digest(cookie: str) -> bytes:
    # Looked up by digest, so that how long a look takes tells nothing of a cookie.
    return hashlib.sha256(cookie.encode("utf-8", "replace")).digest()
