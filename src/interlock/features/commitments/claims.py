"""Which commitment an actor is at work on, by session or, where none is known, by name and workspace."""

from __future__ import annotations

from typing import Final

from interlock.features.commitments.records import Commitment

Place = tuple[str, str]  # an actor and a workspace
Holder = str | Place  # a session, or who claimed outside of any that still runs


class Claims:
    """The commitments each holder has claimed and not ended, in the order they were claimed."""

    def __init__(self) -> None:
        self._of: Final[dict[Holder, dict[str, str]]] = {}  # holder → commitment → its owner
        self._holder: Final[dict[str, Holder]] = {}  # commitment → the holder it is counted for

    def follow(self, commitment: Commitment, workspace: str, *, claimed: bool) -> None:
        """Take notice of how a commitment stands now; `claimed`: it was just claimed."""
        name, owner = commitment.id, commitment.owner
        before = self._holder.get(name)
        if not commitment.active or owner is None:
            self._remove(name)
        elif claimed or before is None:
            self._remove(name)
            holder: Holder = commitment.session or (owner, workspace)
            self._holder[name] = holder
            self._of.setdefault(holder, {})[name] = owner

    def current(self, session: str, actor: str, workspace: str) -> str | None:
        """The commitment claimed last: in this session, best by this actor, else by it outside of one."""
        held = self._of.get(session)
        if held is None:
            held = self._of.get((actor, workspace))
            return next(reversed(held)) if held else None
        return next((name for name in reversed(held) if held[name] == actor), None) or next(reversed(held))

    def sessions(self) -> list[str]:
        """Those in which something was claimed."""
        return [holder for holder in self._of if isinstance(holder, str)]

    def end(self, session: str, places: dict[str, str]) -> None:
        """A session is over: what it claimed goes on with its owners, in whichever session comes next."""
        for name, owner in self._of.pop(session, {}).items():
            holder = (owner, places[name])
            self._holder[name] = holder
            self._of.setdefault(holder, {})[name] = owner

    def _remove(self, name: str) -> None:
        holder = self._holder.pop(name, None)
        if holder is None:
            return
        held = self._of[holder]
        del held[name]
        if not held:
            del self._of[holder]
