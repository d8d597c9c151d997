"""Which commitment an actor is at work on, by session or, where none is known, by name and workspace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.records import Commitment
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry

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

    def current(self, session: str, actor: str = "", workspace: str = "") -> str | None:
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


CARRIED: Final = "carried"


class PlacedOperation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation and the place it was first recorded at: those carried come in that order."""

    seq: int
    operation: Operation


def place_operation(entry: Entry) -> PlacedOperation | None:
    """The operation an entry records or carries."""
    if entry.op != CARRIED:
        operation = operation_of(entry)
        return None if operation is None else PlacedOperation(seq=entry.seq, operation=operation)
    try:
        return msgspec.convert(entry.body.get("carried"), PlacedOperation)
    except msgspec.MsgspecError:
        return None


def body_of(one: PlacedOperation) -> JsonObject:
    """The body of the entry that carries it."""
    return {"carried": msgspec.to_builtins(one)}


def needed(operations: Iterable[PlacedOperation], state: State) -> list[PlacedOperation]:
    """Those without which a commitment could not be told, also one that has ended; the rest may go."""
    known = state.commitments
    names = {name for commitment in known.values() for name in _names_of(commitment, state)}
    return [one for one in operations if _is_about(one.operation, {*known, *names}, known)]


def _names_of(commitment: Commitment, state: State) -> Iterable[str]:
    yield commitment.source
    yield from commitment.evidence
    yield from (link.source for link in state.links.get(commitment.id, ()))
    provenance = commitment.meta.get("provenance")
    if isinstance(provenance, dict):
        yield from (one for one in provenance.values() if isinstance(one, str))


def _is_about(operation: Operation, names: set[str], known: dict[str, Commitment]) -> bool:
    payload = operation.payload
    if operation.id in names:
        return True
    return any(
        isinstance(payload.get(key), str) and payload[key] in known for key in ("commitment", "target")
    ) or (
        # A validation is asked for when what it is about is closed.
        operation.op == "capture" and not known.keys().isdisjoint(_texts(payload.get("refs")))
    )


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
