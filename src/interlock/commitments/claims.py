"""Which commitment an agent's session is at work on."""

from __future__ import annotations

from typing import Final

from interlock.commitments.records import Commitment


class Claims:
    """The commitments each session has claimed and not ended, the last claimed first in line."""

    def __init__(self) -> None:
        self._of: Final[dict[str, dict[str, None]]] = {}
        self._session: Final[dict[str, str]] = {}  # commitment → the session it is counted for
        self.current: Final[dict[str, str]] = {}  # session → the commitment claimed last

    def follow(self, commitment: Commitment, *, claimed: bool) -> None:
        """Take notice of how a commitment stands now; `claimed`: it was just claimed."""
        before = self._session.get(commitment.id)
        now = commitment.session if commitment.active else None
        if before is not None and (before != now or claimed):
            self._remove(commitment.id, before)
        if now is not None and (before != now or claimed):
            self._session[commitment.id] = now
            self._of.setdefault(now, {})[commitment.id] = None
            self.current[now] = commitment.id

    def _remove(self, name: str, session: str) -> None:
        del self._session[name]
        held = self._of[session]
        del held[name]
        if held:
            self.current[session] = next(reversed(held))
        else:
            del self._of[session], self.current[session]
