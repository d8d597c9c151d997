"""Times the ledger against its bars: appending to an ever longer one, looking up, searching, verifying.

Run it as `python -m bench.ledger [--rows 200000]`. What grows with it is told by processor time and by
bytes written, which are the same on a busy machine; the time of a sync is not.
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
from contextlib import closing
from pathlib import Path

from bench.figure import note, row
from bench.search import filling, search_rows, slowest

from interlock.events.tool import JsonObject
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.search.index import index_beside
from interlock.store.database import open_database, open_to_read

GROUP = 50  # entries in one commit that is measured
BULK = 1_000  # entries in one that is not
MEASURED = 10_000  # entries of a stage that are committed as the daemon does
SINGLE = 400  # commits of one entry in one sample
STAGES = 10
MICRO = 1e6
CEILING_MS = 50


WORDS = [
    f"{word}{end}"
    for word in ("build", "test", "lint", "report", "parse", "config", "route", "cache")
    for end in ("", "s", "_v2")
]
COMMANDS = (
    "make {0}",
    "git commit -m '{0} {1}'",
    "rg {0} src/{1}",
    "cat docs/{0}.md",
    "pytest tests/{0}.py -k {1}",
)


def body(number: int, words: random.Random) -> JsonObject:
    """A decision about as large as a real one, with a rare word in one of ten."""
    some = [words.choice(WORDS) for _ in range(12)]
    if number % 10 == 0:
        some[0] += str(words.randrange(10**6))
    tool = words.choice(("Bash", "Bash", "Read", "Edit", "Write"))
    denied = number % 1_000 == 0 and tool == "Bash"
    return {
        "cwd": "/w/app",
        "decided_by": "baseline/rule-3" if denied else None,
        "decision": "deny" if denied else "allow",
        "duration_ms": 0.2,
        "event": words.choice(("PreToolUse", "PostToolUse")),
        "reason": "this cannot be made anew" if denied else None,
        "revision": f"{words.getrandbits(48):012x}",
        "session_id": f"session-{number // 2_000}-{words.randrange(8)}",
        "tool": tool,
        "tool_input": {
            "command": words.choice(COMMANDS).format(*some),
            "description": " ".join(some[4:8]),
        },
        "tool_output": {"stdout": " ".join(some * 3)},
        "trace": [{"hook": f"hook-{i}", "vote": "abstain", "duration_ms": 0.01 * i} for i in range(4)],
    }


def single_commits(writer: LedgerWriter, words: random.Random, folder: Path) -> tuple[float, float]:
    """The median seconds of one durable append on its own, and of a plain 4 KB write and sync in between."""
    durable, plain = [], []
    descriptor = os.open(folder / "plain", os.O_CREAT | os.O_WRONLY)
    for number in range(SINGLE):
        what = body(number, words)
        start = time.perf_counter()
        writer.append("decision", "agent:main", "/w/app", what)
        writer.flush()
        durable.append(time.perf_counter() - start)
        # One after the other: a shared disk is not the same from one second to the next.
        start = time.perf_counter()
        os.pwrite(descriptor, bytes(4096), (number % 16) * 4096)
        os.fdatasync(descriptor)
        plain.append(time.perf_counter() - start)
    os.close(descriptor)
    return statistics.median(durable), statistics.median(plain)


class Cost:
    """What one stage costs an entry."""

    def __init__(self, seconds: float, processor: float, written: float) -> None:
        self.seconds, self.processor, self.written = seconds, processor, written


def fill(writer: LedgerWriter, count: int, words: random.Random, group: int = GROUP) -> Cost:
    """Append in groups that are committed together."""
    bodies = [body(writer.head.seq + i, words) for i in range(min(count, 5_000))]
    start, processor, written = time.perf_counter(), time.process_time(), bytes_written()
    for first in range(0, count, group):
        for number in range(first, min(first + group, count)):
            writer.append("decision", "agent:main", "/w/app", bodies[number % len(bodies)])
        writer.flush()
    now, used, out = time.perf_counter(), time.process_time(), bytes_written()
    return Cost((now - start) / count, (used - processor) / count, (out - written) / count)


def bytes_written() -> int:
    """What this process has handed to the system to write; 0 where it does not tell."""
    try:
        lines = Path("/proc/self/io").read_text().splitlines()
    except OSError:
        return 0
    return int(dict(line.split(": ") for line in lines)["wchar"])


def fill_quickly(
    connection: sqlite3.Connection, writer: LedgerWriter, count: int, words: random.Random, path: Path
) -> None:
    """The rows between two measurements: the same entries, without waiting for the disk."""
    if count > 0:
        connection.execute("PRAGMA synchronous = OFF")
        fill(writer, count, words, BULK)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_checkpoint")
        # What waits in memory would be written by the syncs that are measured next.
        with path.open("rb") as file:
            os.fsync(file.fileno())


def append_rows(path: Path, rows: int) -> list[bool]:
    """Fill a ledger in stages, with a sample of single commits after each."""
    words = random.Random(1)
    grouped: list[Cost] = []
    singles: list[tuple[float, float]] = []
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection)
        fill(writer, 2_000, words)  # warm
        for _ in range(STAGES):
            measured = min(MEASURED, rows // STAGES)
            grouped.append(fill(writer, measured, words))
            singles.append(single_commits(writer, words, path.parent))
            fill_quickly(connection, writer, rows // STAGES - measured, words, path)
    note("append in groups of 50, per entry, median of stages", _median(grouped, "seconds") * MICRO, "us")
    note("the same, processor time", _median(grouped, "processor") * MICRO, "us")
    note(
        "append of one durable entry, median of stages",
        statistics.median(s for s, _ in singles) * MICRO,
        "us",
    )
    note("a plain 4 KB write and sync, in between", statistics.median(p for _, p in singles) * MICRO, "us")
    ratios = [single / plain for single, plain in singles]
    third = STAGES // 3
    held = [
        row("groups, processor: last third over the first", _growth(grouped, third, "processor"), 1.2, "x"),
        row("single, over a plain sync: last third over the first", growth(ratios, third), 1.2, "x"),
    ]
    if grouped[0].written:
        held.append(row("groups, bytes written: the same", _growth(grouped, third, "written"), 1.2, "x"))
    return held


def _median(costs: list[Cost], name: str) -> float:
    return statistics.median([float(getattr(cost, name)) for cost in costs])


def _growth(costs: list[Cost], third: int, name: str) -> float:
    return growth([getattr(cost, name) for cost in costs], third)


def beside_the_index(path: Path) -> list[bool]:
    """Appending while the index is filled far more often than the daemon does it, against appending alone."""
    words = random.Random(2)
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection)
        alone, beside = [], []
        for _ in range(4):
            alone.append(single_commits(writer, words, path.parent)[0])
            with filling(path, lambda: writer.head.seq):
                beside.append(single_commits(writer, words, path.parent)[0])
    ratio = statistics.median(beside) / statistics.median(alone)
    return [row("append of one entry beside the index, over alone", ratio, 1.2, "x")]


def growth(samples: list[float], third: int) -> float:
    """How much slower the last stages are than the first."""
    return statistics.median(samples[-third:]) / statistics.median(samples[:third])


def read_rows(connection: sqlite3.Connection) -> list[bool]:
    """Look-ups and verifying on the filled ledger."""
    reader = LedgerReader(connection)
    last = reader.tail(1)[0]
    middle = reader.show(str(last.seq // 2))
    held = [
        row(what, slowest(look), CEILING_MS, "ms")
        for what, look in (
            ("list of 50", reader.page),
            ("tail of 100", lambda: reader.tail(100)),
            ("list of 50 from the middle", lambda: reader.page(before=middle.seq)),
            ("one session, 500 entries", lambda: reader.page(Filter(session=middle.session_id), limit=500)),
            ("an actor nobody is", lambda: reader.page(Filter(actor="agent:nobody"))),
            ("one entry by id", lambda: reader.show(middle.id)),
        )
    ]
    start, processor = time.perf_counter(), time.process_time()
    found = verify(connection)
    speed = found.entries / (time.process_time() - processor)
    note("entries verified", found.entries, "rows")
    note("verify, by the clock", found.entries / (time.perf_counter() - start), "rows/s")
    held.append(row("verify, by processor time", speed, 100_000, "rows/s", at_least=True))
    return [*held, found.broken is None]


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
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
            held += search_rows(path, connection)
        held += beside_the_index(path)
        note("size per entry", path.stat().st_size / given.rows, "bytes")
        note("size of the index per entry", index_beside(path).stat().st_size / given.rows, "bytes")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
