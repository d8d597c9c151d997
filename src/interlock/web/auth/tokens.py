"""Login links: each good once, and for a few minutes."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Final, final

from interlock.store.clock import since_boot

_SECONDS: Final = 300.0
_MOST: Final = 16  # links that wait to be opened; the oldest gives way


@final
class Tokens:
    """Hands tokens out and takes each back once; what is kept is not what is handed out."""

    def __init__(self, *, clock: Callable[[], float] = since_boot) -> None:
        self._clock: Final = clock
        self._ends: Final[
            dict[bytes, tuple[float, str]]
        ] = {}  # digest → when it is too late, and whose it is

    def give(self, person: str) -> str:
        """A new token for a person."""
        token = secrets.token_urlsafe(32)
        while len(self._ends) >= _MOST:
            del self._ends[next(iter(self._ends))]
        self._ends[_digest(token)] = (self._clock() + _SECONDS, person)
        return token

    def take(self, token: str) -> str | None:
        """Use a token up; gives whose it is, None when it never was, was used, or is too old."""
        end, person = self._ends.pop(_digest(token), (0.0, ""))
        return person if person and self._clock() < end else None


def _digest(token: str) -> bytes:
    # Looked up by digest, so that how long a look takes tells nothing of a token.
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
