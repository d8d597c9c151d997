"""Where one entry stands in the chain, and what vouches for it."""

from __future__ import annotations

import sqlite3

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.base import read_base
from interlock.ledger.chain import link
from interlock.ledger.checkpoint import Checkpoint
from interlock.ledger.entry import Entry
from interlock.ledger.proof import checkpoint_in
from interlock.store.failures import meaning
from interlock.store.statements import statements


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
        holds = "prev and payload give this hash" if self.holds else "NO: prev and payload give another hash"
        return {"holds": holds, "chain": f"{self.first} to {self.last}", "signed": signed}


def standing_of(connection: sqlite3.Connection, entry: Entry) -> Standing:
    """Look around an entry."""
    try:
        last = connection.execute(statements("ledger")["head"]).fetchone()[0]
        found = connection.execute(statements("proof")["last_checkpoint"]).fetchone()
    except sqlite3.Error as error:
        raise LedgerError(f"cannot read the ledger: {meaning(error)}") from error
    return Standing(
        first=read_base(connection).seq + 1,
        last=last,
        holds=link(entry.prev_hash, entry.payload) == entry.hash,
        checkpoint=checkpoint_in(found[1]) if found else None,
    )
