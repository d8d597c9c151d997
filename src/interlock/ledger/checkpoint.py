"""A checkpoint: the end of a chain at one time, signed, to be kept where the ledger is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.ledger.base import Base
from interlock.ledger.chain import Head
from interlock.ledger.signing import Signer

FORMAT: Final = "interlock-checkpoint/1"
_LONGEST: Final = 65_536

Digits = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed, and by whom; the members stand in the order of their names."""

    entries: int  # how many the ledger held
    format: Literal["interlock-checkpoint/1"]
    hash: Digits  # of the entry `seq`
    key: Digits  # the public key it is signed with
    ledger: str  # the name of the ledger
    seq: int
    signature: Annotated[str, Meta(pattern="^[0-9a-f]{128}$")]
    ts: str

    @property
    def head(self) -> Head:
        """The end of the chain it speaks of."""
        return Head(self.seq, bytes.fromhex(self.hash))

    @property
    def document(self) -> JsonObject:
        """As it is written and signed."""
        return msgspec.structs.asdict(self)


def make_checkpoint(base: Base, head: Head, ts: str, signer: Signer) -> Checkpoint:
    """Sign the end of a chain."""
    document: dict[str, Any] = {
        "entries": head.seq - base.seq,
        "format": FORMAT,
        "hash": head.hash.hex(),
        "ledger": base.ledger,
        "seq": head.seq,
        "ts": ts,
    }
    return msgspec.convert(signer.sign(document), Checkpoint)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read one from a file; whether its signature holds is asked when it is compared."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LedgerError(f"cannot read the checkpoint `{path}`: {reason}; name another file") from error
    try:
        return msgspec.json.decode(content, type=Checkpoint)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise LedgerError(
            f"`{path}` is no checkpoint: {error}; `interlock ledger checkpoint --out FILE` writes one"
        ) from error
