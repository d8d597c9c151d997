"""Laws of writers whose clocks disagree."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.database import open_database

NOW = 1_780_000_000.0
APART = 300.0


@pytest.mark.req("L08")
def test_the_order_is_the_chains_and_every_writer_keeps_its_own_time(path: Path) -> None:
    """Clocks five minutes apart: each entry has its writer's time, and its place in the one chain."""
    with closing(open_database(path)) as one, closing(open_database(path)) as other:
        ahead = LedgerWriter(one, clock=lambda: NOW + APART)
        behind = LedgerWriter(other, clock=lambda: NOW)
        for number in range(4):
            writer = ahead if number % 2 == 0 else behind
            writer.append("step", "agent:main", "/w", {"number": number})
            writer.flush()
        found = LedgerReader(one).tail(10)

        assert [entry.body["number"] for entry in found] == [0, 1, 2, 3]
        assert [entry.ts for entry in found] == [timestamp(NOW + APART), timestamp(NOW)] * 2
        assert verify(one).broken is None
