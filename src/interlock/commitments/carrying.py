"""What is still owed outlives the entries it stands in: it is recorded again before they are removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from interlock.commitments.operation import Operation, operation_of
from interlock.commitments.records import Commitment
from interlock.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.tool import JsonObject

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
    """Those without which a commitment that has not ended could not be told; the rest may go."""
    owed = {one.id: one for one in state.commitments.values() if not one.ended}
    names = {name for commitment in owed.values() for name in _named(commitment, state)}
    return [one for one in operations if _is_about(one.operation, {*owed, *names}, owed)]


def _named(commitment: Commitment, state: State) -> Iterable[str]:
    yield commitment.source
    yield from commitment.evidence
    yield from (link.source for link in state.links.get(commitment.id, ()))
    provenance = commitment.meta.get("provenance")
    if isinstance(provenance, dict):
        yield from (one for one in provenance.values() if isinstance(one, str))


def _is_about(operation: Operation, names: set[str], owed: dict[str, Any]) -> bool:
    payload = operation.payload
    if operation.id in names:
        return True
    return any(
        isinstance(payload.get(key), str) and payload[key] in owed for key in ("commitment", "target")
    ) or (
        # A validation of what is owed is asked for when that is closed.
        operation.op == "capture" and not owed.keys().isdisjoint(_texts(payload.get("refs")))
    )


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
