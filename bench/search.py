"""Times searching in the ledger; a part of `bench.ledger`, which makes the entries."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.figure import note, row

from interlock.ledger.reader import Filter, LedgerReader
from interlock.search.counts import By, count
from interlock.search.index import SearchIndex, SearchIndexer, index_beside, open_index
from interlock.search.question import Question, parse_question
from interlock.search.search import catch_up, search

CEILING_MS = 50
MILLI = 1e3
PAUSE_SECONDS = 0.05  # between two steps of the index; the daemon takes two seconds


def search_rows(path: Path, ledger: sqlite3.Connection) -> list[bool]:
    """Fill the index and ask it, each page with all that a command does for it."""
    with closing(open_index(index_beside(path))) as connection:
        start = time.process_time()
        filled = catch_up(SearchIndex(connection, ledger))
        note("index filled, by processor time", filled / (time.process_time() - start), "rows/s")
    middle = LedgerReader(ledger).show(str(filled // 2))
    rare = next(word for word in middle.body["tool_output"]["stdout"].split())
    pages: list[tuple[str, Filter, Question | None]] = [
        ("search: a common word", Filter(), parse_question("build")),
        ("search: a word of the middle", Filter(), parse_question(f"{rare} session")),
        ("search: a beginning that is rare", Filter(), parse_question("build99999*")),
        ("search: a phrase", Filter(), parse_question('"git commit"')),
        (
            "search: a common word, denied, in Bash",
            Filter(decision="deny", tool="Bash"),
            parse_question("build"),
        ),
        ("denied in Bash", Filter(decision="deny", tool="Bash"), None),
        ("denied in Read: none", Filter(decision="deny", tool="Read"), None),
        ("a rule and a tool: none", Filter(rule="baseline/rule-3", tool="Edit"), None),
        ("a tool nobody used", Filter(tool="None"), None),
        ("one session and a tool", Filter(session=middle.session_id, tool="Bash"), None),
        ("a kind nobody wrote", Filter(op="gap"), None),
        ("before a time", Filter(until=middle.ts), None),
    ]
    held = [
        row(what, slowest(lambda: search(path, ledger, wanted, question)), CEILING_MS, "ms")  # noqa: B023 - called at once
        for what, wanted, question in pages
    ]
    start = time.perf_counter()
    search(path, ledger, Filter(decision="deny", tool="Bash"), parse_question("build"))
    note("one of these by the clock", (time.perf_counter() - start) * MILLI, "ms")
    start = time.process_time()
    found = count(ledger, By.TOOL)
    note("entries counted by stats", found.entries / (time.process_time() - start), "rows/s")
    return held


def slowest(look: Callable[[], object], times: int = 5) -> float:
    """The slowest of a few, in milliseconds of processor time."""

    def once() -> float:
        start = time.process_time()
        look()
        return (time.process_time() - start) * MILLI

    return max(once() for _ in range(times))


@contextmanager
def filling(path: Path, head: Callable[[], int]) -> Iterator[None]:
    """Let the daemon's own indexing work in a thread meanwhile."""
    ended = threading.Event()
    events = iter(range(1 << 40))
    indexing = SearchIndexer(path, head, lambda: next(events))  # always busy: a group at a time

    def work() -> None:
        while not ended.wait(PAUSE_SECONDS):
            indexing.step()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
