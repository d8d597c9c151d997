"""Run as a program: one of several processes that append to the same ledger.

`python appending.py DATABASE NAME ENTRIES LIMIT` prints the id of every entry whose flush returned.
A group that is refused is recorded again. LIMIT, when not 0, is the largest file it may write, in bytes.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from contextlib import closing
from itertools import cycle
from pathlib import Path

from interlock.errors import LedgerError
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

TRIES = 20_000
SIZES = (1, 2, 3, 5, 13, 40, 96)  # of groups: single calls, and what gathers in a busy moment


def flushed(writer: LedgerWriter, name: str, numbers: list[int]) -> list[str]:
    """The ids of one group, however often it takes."""
    for _ in range(TRIES):
        for number in numbers:
            writer.append("step", f"agent:{name}", "/w", {"number": number})
        try:
            return [entry.id for entry in writer.flush()]
        except LedgerError:
            time.sleep(
                random.uniform(0, 0.02)
            )  # more than a group takes: eight that only try block each other
    raise SystemExit("the ledger was never free")


def main() -> None:
    """Append groups of very different size, as fast as the others let us."""
    path, name, entries, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with closing(open_database(path, busy_seconds=60)) as connection:
        connection.execute("PRAGMA busy_timeout = 0")
        writer = LedgerWriter(connection)
        if limit:
            bounded(writer, limit)
            return
        number, sizes = 0, cycle(SIZES)
        while number < entries:
            after = min(number + next(sizes), entries)
            sys.stdout.write("".join(f"{i}\n" for i in flushed(writer, name, list(range(number, after)))))
            number = after


def bounded(writer: LedgerWriter, limit: int) -> None:
    """Fill the log until the system refuses to let it grow, then lift the limit."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    for number in range(TRIES):
        writer.append("step", "agent:full", "/w", {"number": number, "text": "x" * 3_000})
        try:
            sys.stdout.write("".join(f"{entry.id}\n" for entry in writer.flush()))
        except LedgerError as error:
            sys.stdout.write(f"refused: {error}\n")
            break
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    writer.append("step", "agent:full", "/w", {"number": -1})
    sys.stdout.write("".join(f"{entry.id}\n" for entry in writer.flush()))


if __name__ == "__main__":
    main()
