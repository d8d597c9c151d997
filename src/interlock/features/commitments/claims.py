"""Which commitment an actor is working on, and operations that outlive the removal of their entries."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.records import Commitment, Operation, operation_of
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.store.statements import statements

ActorWorkspace = tuple[str, str]  # an actor and a workspace
Holder = str | ActorWorkspace  # a session, or an actor outside a running session


class Claims:
    """The commitments each holder has claimed and not ended, in the order they were claimed."""

    def __init__(self) -> None:
        self._of: Final[dict[Holder, dict[str, str]]] = {}  # holder → commitment → its owner
        self._holder: Final[dict[str, Holder]] = {}  # commitment → its holder

    def follow(self, commitment: Commitment, workspace: str, *, claimed: bool) -> None:
        """Note the state of a commitment; `claimed`: it was just claimed."""
        name, owner = commitment.id, commitment.owner
        holder_before = self._holder.get(name)
        if not commitment.active or owner is None:
            self._remove(name)
        elif claimed or holder_before is None:
            self._remove(name)
            holder: Holder = commitment.session or (owner, workspace)
            self._holder[name] = holder
            self._of.setdefault(holder, {})[name] = owner

    def current(self, session: str, actor: str = "", workspace: str = "") -> str | None:
        """The last claim in this session, if possible by this actor; else its last outside a session."""
        held = self._of.get(session)
        if held is None:
            held = self._of.get((actor, workspace))
            return next(reversed(held)) if held else None
        return next((name for name in reversed(held) if held[name] == actor), None) or next(reversed(held))

    def sessions(self) -> list[str]:
        return [holder for holder in self._of if isinstance(holder, str)]

    def end(self, session: str, places: dict[str, str]) -> None:
        """A session is over: its owners keep what it claimed, in whichever session comes next."""
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
_PAGE: Final = 1_000


class PlacedOperation(msgspec.Struct, frozen=True, kw_only=True):
    """An operation and the number of its first entry, which orders those that were carried over."""

    seq: int
    operation: Operation


def place_operation(entry: Entry) -> PlacedOperation | None:
    """The operation that an entry records or carries."""
    if entry.op != CARRIED:
        operation = operation_of(entry)
        return None if operation is None else PlacedOperation(seq=entry.seq, operation=operation)
    try:
        return msgspec.convert(entry.body.get("carried"), PlacedOperation)
    except msgspec.MsgspecError:
        return None


def carried_body(operation: PlacedOperation) -> JsonObject:
    return {"carried": msgspec.to_builtins(operation)}


def operations_since(
    connection: sqlite3.Connection, last: int
) -> Iterator[tuple[Entry | None, Operation | None]]:
    """The entries after one, with the operation each records; from the start, carried operations first."""
    sql = statements("commitments")
    if last == 0:
        # It was first recorded before everything that is left.
        placed = [place_operation(Entry(*row)) for row in connection.execute(sql["carried"])]
        for item in sorted(filter(None, placed), key=lambda item: item.seq):
            yield None, item.operation
    while True:
        entries = [Entry(*row) for row in connection.execute(sql["after"], (last, _PAGE))]
        for entry in entries:
            last = entry.seq
            yield entry, operation_of(entry)
        if len(entries) < _PAGE:
            return


def select_needed(operations: Iterable[PlacedOperation], state: State) -> list[PlacedOperation]:
    """Those without which a commitment could not be replayed, also an ended one; the rest may go."""
    commitments = state.commitments
    names = {name for commitment in commitments.values() for name in _names_in(commitment, state)}
    return [
        candidate
        for candidate in operations
        if _is_about(candidate.operation, {*commitments, *names}, commitments)
    ]


def _names_in(commitment: Commitment, state: State) -> Iterable[str]:
    yield commitment.source
    yield from commitment.evidence
    yield from (link.source for link in state.links.get(commitment.id, ()))
    provenance = commitment.meta.get("provenance")
    if isinstance(provenance, dict):
        yield from (name for name in provenance.values() if isinstance(name, str))


def _is_about(operation: Operation, names: set[str], commitments: dict[str, Commitment]) -> bool:
    subjects = (operation.text("commitment"), operation.text("target"))
    # Closing a commitment may need its validation.
    validation = operation.op == "capture" and not commitments.keys().isdisjoint(operation.texts("refs"))
    return operation.id in names or validation or any(name in commitments for name in subjects)
