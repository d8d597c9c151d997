"""Laws of several processes on one ledger, and of one whose disk is full."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.ledger.records import holds

from interlock.ledger.verify import verify
from interlock.store.database import open_database, open_to_read

pytestmark = pytest.mark.deep

PROGRAM = Path(__file__).with_name("appending.py")
PROCESSES = 8
# Of each process; `make nightly` asks for ten times as many.
ENTRIES = int(os.environ.get("INTERLOCK_TEST_APPENDS", "10000"))
EVERYTHING = "SELECT seq, payload, prev_hash, hash, id, actor FROM ledger ORDER BY seq"


def start(path: Path, name: str, *, entries: int = ENTRIES, limit: int = 0) -> subprocess.Popen[bytes]:
    """One more process that appends; what it acknowledges goes to a file, for a pipe would make it wait."""
    command = [sys.executable, str(PROGRAM), str(path), name, str(entries), str(limit)]
    with told_by(path, name).open("wb") as told:
        return subprocess.Popen(command, stdout=told)


def told_by(path: Path, name: str) -> Path:
    """Where a process writes what it acknowledges."""
    return path.parent.parent / f"told-{name}"


@pytest.mark.req("L04", "M64")
def test_eight_processes_make_one_chain_and_lose_nothing(path: Path) -> None:
    """One order, no fork, every acknowledged entry once, and each process's own entries in its order."""
    names = [str(number) for number in range(PROCESSES)]
    started = [start(path, name) for name in names]

    assert [process.wait() for process in started] == [0] * PROCESSES
    told = {f"agent:{name}": told_by(path, name).read_text().split() for name in names}
    stored: dict[str, list[str]] = {actor: [] for actor in told}
    with closing(open_to_read(path)) as connection:
        assert holds(row[:4] for row in connection.execute(EVERYTHING))
        assert verify(connection).broken is None
        for _, payload, _, _, entry_id, actor in connection.execute(EVERYTHING):
            assert msgspec.json.decode(payload)["body"]["number"] == len(stored[actor])
            stored[actor].append(entry_id)
    assert stored == told
    assert [len(ids) for ids in told.values()] == [ENTRIES] * PROCESSES


@pytest.mark.req("D02")
def test_a_file_that_may_not_grow_refuses_and_recovers(path: Path) -> None:
    """When the file may grow no more the entry is refused; with room again the next is recorded."""
    open_database(path).close()
    assert start(path, "full", limit=400_000).wait() == 0

    *lines, after = told_by(path, "full").read_text().splitlines()
    assert [line.partition(":")[0] for line in lines if not line.startswith("op_")] == ["refused"]
    assert lines[-1].startswith("refused: cannot record: the disk")
    acknowledged = [*lines[:-1], after]
    with closing(open_to_read(path)) as connection:
        assert [row[0] for row in connection.execute("SELECT id FROM ledger ORDER BY seq")] == acknowledged
        assert verify(connection).entries == len(acknowledged)
