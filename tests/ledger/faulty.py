"""Run as a program: lets the n-th change to a file go wrong, for every n, and reports what held.

`python faulty.py LIBRARY FOLDER MODE` forks one child per n. A child opens a database, records four groups,
acknowledging each group on a pipe after its flush, and checkpoints. The parent then opens what is left.
One line of JSON per n goes to the output; the last is the run nothing happened to.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from contextlib import closing
from pathlib import Path

from interlock.errors import StoreError
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read

GROUPS = 4
SIZE = 3
LIMIT = 2_000  # far more changes than one run makes
NO_SPACE = 3


def child(path: Path, acknowledge: int, library: ctypes.CDLL, mode: int, n: int) -> None:
    """Record; in the mode of full disks, go on after each refusal."""
    refused = 0
    library.faults_arm(mode, n)
    try:
        connection = open_database(path)
    except StoreError:
        # There was no room to make it: with room again it must work.
        refused += 1
        connection = open_database(path)
    with closing(connection):
        writer = LedgerWriter(connection)
        for group in range(GROUPS):
            for number in range(SIZE):
                writer.append(
                    "step", "agent:main", "/w", {"group": group, "number": number, "text": "x" * 900}
                )
            try:
                written = writer.flush()
            except StoreError:
                refused += 1
                continue
            os.write(acknowledge, "".join(f"{entry.id}\n" for entry in written).encode())
        if mode != NO_SPACE:  # there a refused checkpoint is not a refused entry
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    os.write(acknowledge, f"done {library.faults_seen()} {refused}\n".encode())


def run(path: Path, library: ctypes.CDLL, mode: int, n: int) -> dict[str, object]:
    """One child, and what is left after it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        try:
            child(path, writing, library, mode, n)
        except BaseException as error:  # noqa: BLE001 - a child must never go on as its parent
            os.write(writing, f"error {error!r}\n".encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read().split("\n")
    status = os.waitpid(pid, 0)[1]
    last = next((line.split() for line in told if line.startswith("done")), None)
    acknowledged = [line for line in told if line.startswith("op_")]
    with closing(open_database(path)) as connection:  # what a restart does
        stored = {row[0] for row in connection.execute("SELECT id FROM ledger")}
        found = verify(connection)
        LedgerWriter(connection).append("after", "agent:main", "/w", {})
    with closing(open_to_read(path)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
    return {
        "n": n,
        "killed": os.WIFSIGNALED(status),
        "acknowledged": len(acknowledged),
        "lost": len(set(acknowledged) - stored),
        "torn": found.entries % SIZE,
        "broken": found.broken.what if found.broken else None,
        "sound": sound,
        "touched": last is None or int(last[1]) >= n,
        "errors": [line for line in told if line.startswith("error")],
        "refused": int(last[2]) if last else 0,
    }


def main() -> None:
    """Every n until a run passes untouched."""
    library = ctypes.CDLL(sys.argv[1])
    folder, mode = Path(sys.argv[2]), int(sys.argv[3])
    for n in range(1, LIMIT):
        found = run(folder / str(n) / "interlock.db", library, mode, n)
        sys.stdout.write(json.dumps(found) + "\n")
        if not found["touched"]:
            return
    raise SystemExit("no run passed untouched")


if __name__ == "__main__":
    main()
