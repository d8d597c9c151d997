"""Login links, logins and API keys: random tokens that expire, stored as digests.

They are in memory only, so all of them end with the process.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import ClassVar, Final, final

import msgspec

from interlock.store.clock import since_boot
from interlock.web.auth.peers import Holders

COOKIE: Final = "interlock"
LOGIN_SECONDS: Final = 12 * 3600.0
_IDLE_SECONDS: Final = 3600.0
_SCHEME: Final = "bearer "
# The only paths that an API key opens.
_API: Final = "/api/"
_METRICS: Final = "/metrics"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What a token stands for: a person, until a time."""

    key: bytes  # the digest of the token
    csrf: str  # in every form of a login
    ends: float
    person: str
    holders: Holders = frozenset()  # the browser's processes; the cookie is worthless anywhere else


class _IssuedTokens:
    """A bounded table of tokens; a new one replaces the oldest."""

    most: ClassVar[int]
    seconds: ClassVar[float]

    def __init__(self, *, clock: Callable[[], float] = since_boot) -> None:
        self._clock: Final = clock
        self._sessions: Final[dict[bytes, Session]] = {}

    def stands(self, session: Session) -> bool:
        """Whether it is still valid; an expired one is removed."""
        if session.key in self._sessions and self._clock() < session.ends:
            return True
        self.end(session)
        return False

    def end(self, session: Session) -> None:
        self._sessions.pop(session.key, None)

    def give(self, person: str) -> str:
        """A new token for a person."""
        return self._issue(person)[0]

    def _issue(self, person: str, holders: Holders = frozenset()) -> tuple[str, Session]:
        token = secrets.token_urlsafe(32)
        while len(self._sessions) >= self.most:
            self.end(next(iter(self._sessions.values())))
        session = Session(
            key=_digest(token),
            csrf=secrets.token_urlsafe(32),
            ends=self._clock() + self.seconds,
            person=person,
            holders=holders,
        )
        self._sessions[session.key] = session
        return token, session

    def _find(self, token: str) -> Session | None:
        session = self._sessions.get(_digest(token))
        return session if session is not None and self.stands(session) else None


@final
class LoginLinks(_IssuedTokens):
    """The tokens of login links; each works once."""

    most = 16
    seconds = 300.0

    def take(self, token: str) -> str | None:
        """Use a token up and return whose it is; None when it is unknown, used or expired."""
        session = self._find(token)
        if session is None:
            return None
        self.end(session)
        return session.person


@final
class ApiKeys(_IssuedTokens):
    """The keys of scripts and scrapers; each stands for the person who asked for it."""

    most = 16
    seconds = 30 * 24 * 3600.0

    def find(self, header: str, path: str) -> Session | None:
        """The session that an `Authorization` header opens at a path."""
        opens = path == _METRICS or path.startswith(_API)
        if not opens or not header.lower().startswith(_SCHEME):
            return None
        return self._find(header[len(_SCHEME) :].strip())


@final
class Logins(_IssuedTokens):
    """Browsers that are logged in."""

    most = 64
    seconds = LOGIN_SECONDS

    def __init__(self, *, clock: Callable[[], float] = since_boot) -> None:
        super().__init__(clock=clock)
        self._used: Final[dict[bytes, float]] = {}

    def begin(self, holders: Holders, person: str) -> tuple[str, Session]:
        """Log a browser in and return its cookie."""
        cookie, session = self._issue(person, holders)
        self._used[session.key] = self._clock()
        return cookie, session

    def find(self, cookie: str, holders: Holders, *, use: bool = True) -> Session | None:
        """The login of a cookie, if it is still valid and the same browser sends it."""
        session = self._find(cookie)
        if session is None or (session.holders and session.holders.isdisjoint(holders)):
            return None
        if use:
            self._used[session.key] = self._clock()
        return session

    def stands(self, session: Session) -> bool:
        """Whether it is still valid and was used within the hour."""
        if self._clock() >= self._used.get(session.key, 0.0) + _IDLE_SECONDS:
            self.end(session)
            return False
        return super().stands(session)

    def end(self, session: Session) -> None:
        super().end(session)
        self._used.pop(session.key, None)

    def end_all(self) -> None:
        """Log everybody out; their streams end within a second."""
        self._sessions.clear()
        self._used.clear()


def _digest(token: str) -> bytes:
    # A lookup by digest takes a time that reveals nothing about the token.
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
