"""What verifying found, in words for people and as a document: of a whole ledger, and of one entry."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.chain import link
from interlock.ledger.ends import Checkpoint, read_base
from interlock.ledger.entry import Entry
from interlock.ledger.verify import Verification, checkpoint_in
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

_SELF_SIGNED: Final = (
    "self-signed: the signing key is stored beside the ledger, so whoever can rewrite one can sign the "
    "other; name the public key you keep elsewhere with --key"
)
_SELECTION: Final = (
    "This is a selection: each line is as it was recorded, but it cannot show whether other matching "
    "entries were left out."
)


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verification, what it was compared with, and what of it is unknown."""

    found: Verification
    checkpoints: Mapping[str, Checkpoint] = {}  # by the file they came from
    keys: Sequence[str] = ()  # the ones that were asked for
    selection: bool = False

    @property
    def code(self) -> int:
        """The exit code."""
        return 1 if self.found.broken else 0

    @property
    def proved(self) -> int:
        """Up to which entry something kept elsewhere vouches."""
        return max((one.seq for one in self.checkpoints.values()), default=0)

    @property
    def unknown(self) -> list[str]:
        """What no reading of this alone can tell."""
        if self.selection:
            return [_SELECTION]
        signed = self.checkpoints or self.found.base.seq
        return [*self._end_unknown(), *([_SELF_SIGNED] if signed and not self.keys else [])]

    def _end_unknown(self) -> Iterator[str]:
        head = self.found.head.seq
        if not self.checkpoints:
            yield (
                "The chain is complete from the first entry to the last one here. Only a checkpoint kept "
                "elsewhere can show whether entries after it were removed or the whole chain was "
                "rewritten; make one with `interlock ledger checkpoint --out FILE`."
            )
        elif self.proved < head:
            yield (
                f"Up to entry {self.proved} the chain is the one that was signed. Nothing shows whether "
                f"entries after {head} were removed: make checkpoints often, and keep them elsewhere."
            )

    def document(self) -> dict[str, object]:
        """For scripts."""
        found = self.found
        broken = {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None
        return {
            "verified": found.broken is None,
            "entries": found.entries,
            "base": {"seq": found.base.seq, "hash": found.base.hash.hex()},
            "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
            "broken": broken,
            "checkpoints": [
                {"file": file, "seq": one.seq, "ts": one.ts, "key": one.key}
                for file, one in self.checkpoints.items()
            ],
            "proved_to": self.proved,
            "end_known": broken is None and not self.selection and self.proved == found.head.seq > 0,
            "self_signed": not self.keys,
            "selection": self.selection,
            "unknown": self.unknown,
        }

    def lines(self) -> list[str]:
        """For people."""
        found = self.found
        if found.broken:
            return [f"broken at {found.broken.seq}: {found.broken.what}"]
        removed = f"; 1 to {found.base.seq} were removed by retention" if found.base.seq else ""
        if self.selection:
            return [f"verified: {found.entries} entries, each on its own"]
        return [
            f"verified: {found.entries} entries{removed}",
            f"head: {found.head.seq} {found.head.hash.hex()}",
            *(self._checkpoint_line(file, one) for file, one in self.checkpoints.items()),
        ]

    def _checkpoint_line(self, file: str, one: Checkpoint) -> str:
        if one.seq < self.found.base.seq:
            return f"checkpoint {file}: from {one.ts}, about entries that were removed since"
        after = self.found.head.seq - one.seq
        return f"checkpoint {file}: entry {one.seq} of {one.ts} is correct; {after} came after it"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The ends of the chain around an entry, and the last checkpoint that was made of it."""

    first: int
    last: int
    holds: bool  # whether its hash is that of its own payload and what stands before it
    checkpoint: Checkpoint | None = None

    def words(self, entry: Entry) -> dict[str, str]:
        """For people; only `ledger verify` looks at the rest of the chain."""
        if self.checkpoint is None:
            signed = "no checkpoint was made yet"
        elif self.checkpoint.seq < entry.seq:
            signed = f"after the last checkpoint (entry {self.checkpoint.seq}, {self.checkpoint.ts})"
        else:
            signed = f"covered by the checkpoint of {self.checkpoint.ts} (entry {self.checkpoint.seq})"
        intact = "the stored content still gives this hash"
        if not self.holds:
            intact = "NO: the stored content gives another hash"
        return {"intact": intact, "chain": f"{self.first} to {self.last}", "signed": signed}


def standing_of(connection: sqlite3.Connection, entry: Entry) -> Standing:
    """Look around an entry."""
    with explain_errors("cannot read the ledger", LedgerError):
        last = connection.execute(statements("ledger")["head"]).fetchone()[0]
        found = connection.execute(statements("proof")["last_checkpoint"]).fetchone()
    return Standing(
        first=read_base(connection).seq + 1,
        last=last,
        holds=link(entry.prev_hash, entry.payload) == entry.hash,
        checkpoint=checkpoint_in(found[1]) if found else None,
    )
