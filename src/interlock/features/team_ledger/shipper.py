"""Handing a machine's entries to the fleet: in order, each exactly once, from where the fleet has come to.

How far a machine has come is stored in Postgres, in the transaction that adds its entries. Whoever ships asks
for it first and keeps nothing that could be wrong: killed anywhere, the next one goes on at the same place.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from interlock.features.team_ledger.batch import MOST, SIZE, next_batch
from interlock.features.team_ledger.postgres.connect import fleet_errors, fleet_statements
from interlock.features.team_ledger.postgres.migrations import check_usable
from interlock.ledger.chain import GENESIS, Head
from interlock.ledger.ends import read_base

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres.connect import Connection


class Standing(NamedTuple):
    """Where a machine stands in the fleet, and an entry of the fleet that is known to be there."""

    at: Head  # the machine's last entry there
    fleet: str  # the name of the fleet's ledger
    end: Head  # an entry of the fleet, its end at that time
    last: int = 0  # the machine's own last entry
    added: int = 0  # entries that were not there before

    @property
    def behind(self) -> int:
        """How many entries the fleet does not have yet."""
        return max(self.last - self.at.seq, 0)


class Shipper:
    """Ships one machine's ledger over one connection; several at once do no harm."""

    def __init__(
        self,
        local: sqlite3.Connection,
        remote: Connection,
        machine: str,
        *,
        most: int = MOST,
        size: int = SIZE,
    ) -> None:
        self._local: Final = local
        self._remote: Final = remote
        self._most: Final = most
        self._size: Final = size
        self._sql: Final = fleet_statements()
        self.ledger: Final = read_base(local).ledger
        self._who: Final = {"machine": machine, "ledger": self.ledger}

    def standing(self) -> Standing:
        """Where the fleet has come to; asked once, then each step says it."""
        check_usable(self._remote)
        with fleet_errors():
            fleet, seq, hashed = self._remote.execute(self._sql["head"]).fetchall()[0]
            found = self._remote.execute(self._sql["standing"], self._who).fetchone()
        at = Head(found[0], found[1]) if found else GENESIS
        return Standing(at, fleet, Head(seq, hashed))

    def step(self, standing: Standing) -> Standing:
        """Hand over what comes next, in one statement that is one transaction."""
        batch = next_batch(self._local, standing.at, most=self._most, size=self._size)
        if not batch.sent:
            return standing._replace(last=batch.last, added=0)
        given = {**self._who, **batch.parameters()}
        with fleet_errors():
            found = self._remote.execute(self._sql["ship"], given, binary=True).fetchone()
        if found is None:
            raise AssertionError("the statement always gives a row")
        seq, hashed, fleet_seq, fleet_hash, added = found
        return Standing(Head(seq, hashed), standing.fleet, Head(fleet_seq, fleet_hash), batch.last, added)
