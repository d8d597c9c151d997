"""Commitments outlive the entries they stand in: these are recorded again before they are removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.records import Commitment
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry

CARRIED: Final = "carried"


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """An operation and the place it was first recorded at: those carried come in that order."""

    seq: int
    operation: Operation


def placed(entry: Entry) -> Placed | None:
    """The operation an entry records or carries."""
    if entry.op != CARRIED:
        operation = operation_of(entry)
        return None if operation is None else Placed(seq=entry.seq, operation=operation)
    try:
        return msgspec.convert(entry.body.get("carried"), Placed)
    except msgspec.MsgspecError:
        return None


def body_of(one: Placed) -> JsonObject:
    """The body of the entry that carries it."""
    return {"carried": msgspec.to_builtins(one)}


def needed(operations: Iterable[Placed], state: State) -> list[Placed]:
    """Those without which a commitment could not be told, also one that has ended; the rest may go."""
    known = state.commitments
    names = {name for commitment in known.values() for name in _named(commitment, state)}
    return [one for one in operations if _is_about(one.operation, {*known, *names}, known)]


def _named(commitment: Commitment, state: State) -> Iterable[str]:
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
