"""Times decisions while the daemon keeps its search index, against a daemon that cannot.

Run it as `python -m bench.indexed [--calls 5000]`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from bench.daemon import p99, processor_time
from bench.figure import note, row
from bench.web import POLICY, fill
from tests.daemon.home import Home, bash, event

from interlock.search.index import index_beside, open_index

PACE = 200  # calls a second at each of the two
BEFORE = 2_000  # entries each begins with
BAR = 1.2
MILLI = 1e3


@contextmanager
def daemon(name: str) -> Iterator[Home]:
    """A home of its own."""
    with tempfile.TemporaryDirectory(prefix=f"ilk-{name}-") as folder:
        home = Home(folder=Path(folder))
        home.write_launch()
        home.write_policy(POLICY)
        fill(home, BEFORE)
        try:
            yield home
        finally:
            home.end()


def time_calls(homes: tuple[Home, Home], calls: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the same calls at both, one after the other, so that others disturb both."""
    took: tuple[list[float], list[float]] = ([], [])
    begun = time.perf_counter()
    for number in range(calls):
        time.sleep(max(0.0, begun + number / PACE - time.perf_counter()))
        payload = bash(
            f"make test-{number} && git diff", tool_use_id=f"t-{number}", session_id=f"s-{number % 5}"
        )
        for which in (0, 1) if number % 2 else (1, 0):
            start = time.perf_counter()
            homes[which].call(payload)
            took[which].append((time.perf_counter() - start) * MILLI)
    return took


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=5_000)
    calls = options.parse_args().calls
    with ExitStack() as stack:
        indexing, idle = stack.enter_context(daemon("on")), stack.enter_context(daemon("off"))
        # Whoever holds the index keeps the daemon from writing it: it gives up for a minute, and again.
        holding = stack.enter_context(closing(open_index(index_beside(idle.places.database))))
        holding.execute("BEGIN EXCLUSIVE")
        for home in (indexing, idle):
            home.start()
            home.call(event("SessionStart", source="startup"))
        pids = [int(home.places.lock.read_text()) for home in (indexing, idle)]
        before = [processor_time(pid) for pid in pids]
        beside, alone = time_calls((indexing, idle), calls)
        busy, idling = ((processor_time(pid) - then) / calls for pid, then in zip(pids, before, strict=True))
    for what, values in (("beside the index", beside), ("without it", alone)):
        note(f"a decision {what}, p50", statistics.median(values), "ms")
        note(f"a decision {what}, p99", p99(values), "ms")
    held = [
        row(
            "p50 of a decision beside the index, over without",
            statistics.median(beside) / statistics.median(alone),
            BAR,
            "x",
        ),
        row("p99 of a decision beside the index, over without", p99(beside) / p99(alone), BAR, "x"),
        row("processor time for one beside the index, over without", busy / idling, BAR, "x"),
    ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
