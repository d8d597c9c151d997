"""Laws of several processes on one ledger, and of one whose disk is full."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import holds, rows

from interlock.ledger.verify import verify
from interlock.store.database import open_database, open_to_read

PROGRAM = Path(__file__).with_name("appending.py")
PROCESSES = 8
# Each process appends three times as many entries; `make nightly` asks for what the case names, 100,000.
GROUPS = int(os.environ.get("INTERLOCK_TEST_GROUPS", "60"))


def start(path: Path, name: str, *, groups: int = GROUPS, limit: int = 0) -> subprocess.Popen[str]:
    """One more process that appends."""
    command = [sys.executable, str(PROGRAM), str(path), name, str(groups), str(limit)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.req("L04", "M64")
def test_eight_processes_make_one_chain_and_lose_nothing(path: Path) -> None:
    """One order, no fork, every acknowledged entry once, and each process's own entries in its order."""
    started = [start(path, str(number)) for number in range(PROCESSES)]
    told = [process.communicate()[0].split() for process in started]

    assert [process.returncode for process in started] == [0] * PROCESSES
    with closing(open_to_read(path)) as connection:
        stored = connection.execute("SELECT id, actor, payload FROM ledger ORDER BY seq").fetchall()
        assert holds(rows(connection))
        assert verify(connection).broken is None
    assert len(stored) == PROCESSES * GROUPS * 3
    for number, ids in enumerate(told):
        own = [row for row in stored if row[1] == f"agent:{number}"]
        assert [row[0] for row in own] == ids
        assert [json.loads(row[2])["body"]["number"] for row in own] == list(range(len(own)))


@pytest.mark.req("D02")
def test_a_file_that_may_not_grow_refuses_and_recovers(path: Path) -> None:
    """When the file may grow no more the entry is refused; with room again the next is recorded."""
    open_database(path).close()
    process = start(path, "full", limit=400_000)
    *lines, after = process.communicate()[0].splitlines()

    assert process.returncode == 0
    assert [line.partition(":")[0] for line in lines if not line.startswith("op_")] == ["refused"]
    assert lines[-1].startswith("refused: cannot record: the disk")
    acknowledged = [*lines[:-1], after]
    with closing(open_to_read(path)) as connection:
        assert [row[0] for row in connection.execute("SELECT id FROM ledger ORDER BY seq")] == acknowledged
        assert verify(connection).entries == len(acknowledged)
