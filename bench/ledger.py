"""Times the ledger against its bars: appending to an ever longer one, looking things up, verifying.

Run it as `python -m bench.ledger [--rows 1000000]`.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench.figure import note, row

from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read
from interlock.tool import JsonObject

GROUP = 50  # entries in one commit while filling
SINGLE = 400  # commits of one entry in one sample
STAGES = 10
MILLI, MICRO = 1e3, 1e6
CEILING_MS = 50


def body(number: int, words: random.Random) -> JsonObject:
    """A decision about as large as a real one."""
    return {
        "event": words.choice(("PreToolUse", "PostToolUse")),
        "session_id": f"session-{number // 2_000}-{words.randrange(8)}",
        "tool": words.choice(("Bash", "Read", "Edit", "Write")),
        "decision": "deny" if number % 1_000 == 0 else "allow",
        "input": {"command": f"make test-{words.randrange(10**9)} && git commit -m 'step {number}'"},
        "trace": [{"hook": f"hook-{i}", "vote": "abstain", "duration_ms": 0.01 * i} for i in range(4)],
        "revision": f"{words.getrandbits(64):016x}",
    }


def single_commits(writer: LedgerWriter, words: random.Random) -> float:
    """The median seconds of one durable append on its own."""
    found = []
    for number in range(SINGLE):
        what = body(number, words)
        start = time.perf_counter()
        writer.append("decision", "agent:main", "/w/app", what)
        writer.flush()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def fill(writer: LedgerWriter, count: int, words: random.Random) -> float:
    """Seconds per entry when groups are committed together."""
    bodies = [body(writer.head.seq + i, words) for i in range(min(count, 5_000))]
    spent = 0.0
    for first in range(0, count, GROUP):
        group = [bodies[(first + i) % len(bodies)] for i in range(min(GROUP, count - first))]
        start = time.perf_counter()
        for what in group:
            writer.append("decision", "agent:main", "/w/app", what)
        writer.flush()
        spent += time.perf_counter() - start
    return spent / count


def synced_write(folder: Path) -> float:
    """The median seconds of a plain 4 KB write and sync on the same disk."""
    found = []
    descriptor = os.open(folder / "plain", os.O_CREAT | os.O_WRONLY)
    for number in range(SINGLE):
        start = time.perf_counter()
        os.pwrite(descriptor, bytes(4096), (number % 16) * 4096)
        os.fdatasync(descriptor)
        found.append(time.perf_counter() - start)
    os.close(descriptor)
    return statistics.median(found)


def worst_of(times: int, look: Callable[[], object]) -> float:
    """The slowest of a few look-ups, in milliseconds."""

    def once() -> float:
        start = time.perf_counter()
        look()
        return (time.perf_counter() - start) * MILLI

    return max(once() for _ in range(times))


def append_rows(path: Path, rows: int) -> list[bool]:
    """Fill a ledger in stages, with a sample of single commits after each."""
    words = random.Random(1)
    plain = synced_write(path.parent)
    note("a plain 4 KB write and sync", plain * MICRO, "us")
    grouped, single, floor = [], [], []
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection)
        fill(writer, 2_000, words)  # warm
        for _ in range(STAGES):
            grouped.append(fill(writer, rows // STAGES, words))
            single.append(single_commits(writer, words))
            floor.append(synced_write(path.parent))
    note("append in groups of 50, per entry, median of stages", statistics.median(grouped) * MICRO, "us")
    note("append of one durable entry, median of stages", statistics.median(single) * MICRO, "us")
    # Each stage against the plain sync of the same moment: a shared disk is not the same all day.
    ratios = [one / sync for one, sync in zip(single, floor, strict=True)]
    third = STAGES // 3
    return [
        row("groups: last third of the stages over the first", growth(grouped, third), 1.2, "x"),
        row("single, over a plain sync: last third over the first", growth(ratios, third), 1.2, "x"),
    ]


def growth(samples: list[float], third: int) -> float:
    """How much slower the last stages are than the first."""
    return statistics.median(samples[-third:]) / statistics.median(samples[:third])


def read_rows(connection: sqlite3.Connection) -> list[bool]:
    """Look-ups and verifying on the filled ledger."""
    reader = LedgerReader(connection)
    last = reader.tail(1)[0]
    middle = reader.show(str(last.seq // 2))
    held = [
        row(what, worst_of(5, look), CEILING_MS, "ms")
        for what, look in (
            ("list of 50", reader.page),
            ("tail of 100", lambda: reader.tail(100)),
            ("list of 50 from the middle", lambda: reader.page(before=middle.seq)),
            ("one session, 500 entries", lambda: reader.page(Filter(session=middle.session_id), limit=500)),
            ("an actor nobody is", lambda: reader.page(Filter(actor="agent:nobody"))),
            ("50 denials", lambda: reader.page(Filter(decision="deny"))),
            ("one entry by id", lambda: reader.show(middle.id)),
        )
    ]
    note("a tool nobody used (reads everything)", worst_of(1, lambda: reader.page(Filter(tool="None"))), "ms")
    start = time.perf_counter()
    found = verify(connection)
    speed = found.entries / (time.perf_counter() - start)
    note("entries verified", found.entries, "rows")
    held.append(row("verify", speed, 100_000, "rows/s", at_least=True))
    return [*held, found.broken is None]


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=200_000)
    options.add_argument(
        "--folder", type=Path, default=None, help="where to put the database (a temporary folder)"
    )
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        path = Path(folder) / "state" / "interlock.db"
        path.parent.mkdir(mode=0o700)
        held = append_rows(path, given.rows)
        with closing(open_to_read(path)) as connection:
            held += read_rows(connection)
        note("size per entry", path.stat().st_size / given.rows, "bytes")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
