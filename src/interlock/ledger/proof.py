"""Whether a chain is the one that was signed: its beginning, and the checkpoints in it and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from interlock.ledger.base import Base, Removal, removal_in
from interlock.ledger.chain import GENESIS, Head
from interlock.ledger.checkpoint import Checkpoint
from interlock.ledger.signing import signature_fault


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where the chain does not hold."""

    seq: int
    what: str


class Chain(NamedTuple):
    """A chain that was read: its name, both ends, and what was signed inside it."""

    base: Base
    head: Head
    hash_of: Callable[[int], bytes | None]  # of an entry that is there
    signed: Sequence[tuple[int, bytes]] = ()  # place and payload of its `checkpoint` entries
    whole: bool = True  # the head is its end, and not the place where it broke


class _Said(msgspec.Struct, frozen=True):
    body: Checkpoint


_DECODER: Final = msgspec.json.Decoder(_Said)


def checkpoint_in(payload: bytes) -> Checkpoint | None:
    """What the payload of a `checkpoint` entry says, or None when it says no such thing."""
    try:
        return _DECODER.decode(payload).body
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def first_fault(
    chain: Chain, payload_of_removal: bytes | None, outside: Iterable[Checkpoint], keys: Collection[str]
) -> Break | None:
    """The first place that contradicts something signed."""
    faults = [base_fault(chain, payload_of_removal, keys), *_own_faults(chain, keys)]
    faults += [checkpoint_fault(chain, checkpoint, keys) for checkpoint in outside]
    return min((fault for fault in faults if fault), key=lambda fault: fault.seq, default=None)


def base_fault(chain: Chain, payload: bytes | None, keys: Collection[str]) -> Break | None:
    """What is wrong with the beginning; `payload` is the entry that should explain it."""
    base = chain.base
    if base.head == GENESIS:
        return None
    removal = removal_in(payload) if payload is not None else None
    if removal is None:
        return Break(seq=base.seq + 1, what="base: no `retention` entry says why nothing stands before it")
    what = signature_fault(removal.document, keys) or _contradiction(chain, removal)
    return Break(seq=base.seq + 1, what=f"base: {what}") if what else None


def _contradiction(chain: Chain, removal: Removal) -> str | None:
    base = chain.base
    if removal.ledger != base.ledger or (base.signature or removal.signature) != removal.signature:
        return "the `retention` entry is not the one that was signed for it"
    if not removal.first <= base.seq <= removal.last:
        return (
            f"the `retention` entry removed {removal.first} to {removal.last}, and the chain begins elsewhere"
        )
    # While the removal is under way the rest of it still stands, and must lead to what was signed.
    found = base.hash if base.seq == removal.last else chain.hash_of(removal.last)
    if found is None or found.hex() != removal.hash:
        return "it does not follow the entry that was signed as the last one removed"
    return None


def _own_faults(chain: Chain, keys: Collection[str]) -> Iterable[Break | None]:
    for seq, payload in chain.signed:
        checkpoint = checkpoint_in(payload)
        if checkpoint is None:
            yield Break(seq=seq, what="checkpoint: the entry holds none")
        elif what := signature_fault(checkpoint.document, keys):
            yield Break(seq=seq, what=f"checkpoint: {what}")
        else:
            yield checkpoint_fault(chain, checkpoint, keys)


def checkpoint_fault(chain: Chain, checkpoint: Checkpoint, keys: Collection[str]) -> Break | None:
    """What a checkpoint contradicts, if anything."""
    seq = checkpoint.seq
    if what := signature_fault(checkpoint.document, keys):
        return Break(seq=seq, what=f"checkpoint of {checkpoint.ts}: {what}")
    if checkpoint.ledger != chain.base.ledger:
        return Break(seq=seq, what=f"checkpoint of {checkpoint.ts}: it is of another ledger")
    if seq > chain.head.seq and chain.whole:
        missing = f"{chain.head.seq + 1} to {seq}" if seq > chain.head.seq + 1 else f"{seq}"
        what = f"end: {missing} missing, which the checkpoint of {checkpoint.ts} knows"
        return Break(seq=chain.head.seq + 1, what=what)
    found = chain.base.hash if seq == chain.base.seq else chain.hash_of(seq)
    if found is not None and found != checkpoint.head.hash:
        what = f"checkpoint of {checkpoint.ts}: entry {seq} was another; it or one before it was written anew"
        return Break(seq=seq, what=what)
    return None
