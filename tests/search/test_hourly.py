"""Laws of the counts by the hour."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.search.decisions import decision

from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.search.counts import By, count
from interlock.search.hourly import TABLES, file_of
from interlock.search.index import SearchIndex, index_beside, open_index
from interlock.search.search import catch_up

START = 1_700_000_000.0  # 22:13 of a day in November


def trace(chosen: random.Random) -> list[dict[str, object]]:
    """What some hooks did."""
    return [
        {
            "hook": f"h{number}",
            "source": f"/etc/policy.key:{chosen.randrange(1, 90)}",
            "matcher": "Bash(git *)",
            "vote": chosen.choice(("abstain", "ask", "deny")),
            "outcome": chosen.choice(("success", "error", "timeout")),
            "duration_ms": chosen.randrange(1, 400) / 10,
            "passed_open": chosen.random() < 0.2,
        }
        for number in range(chosen.randrange(4))
    ]


@pytest.fixture
def record(database: sqlite3.Connection) -> Callable[[int], None]:
    """Record so many decisions, five minutes apart."""
    now = [START]
    writer = LedgerWriter(database, clock=lambda: now[0])
    chosen = random.Random(4)

    def recorded(number: int) -> None:
        for _ in range(number):
            now[0] += 300
            body = decision(chosen, trace=trace(chosen))
            body["decided_by"] = "h0" if body["decision"] == "deny" else None
            writer.append("decision", "agent:main", "/w/app", body)
        writer.append("note", "agent:main", "/w/app", {"session_id": "s-0"})
        writer.flush()

    return recorded


def everything(connection: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    return {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}


def test_the_counts_are_those_of_all_entries(
    path: Path, database: sqlite3.Connection, index: SearchIndex, record: Callable[[int], None]
) -> None:
    """Hooks, decisions, denials and sessions add up to what reading every entry gives."""
    record(300)
    catch_up(index)
    whole = count(database, By.HOOK)
    entries = LedgerReader(database).page(limit=1_000)
    with closing(open_index(index_beside(path))) as kept:
        decisions = dict(kept.execute("SELECT decision, sum(entries) FROM hours GROUP BY decision"))
        hooks = kept.execute("SELECT hook, sum(calls), sum(asks), sum(denials) FROM hook_hours GROUP BY hook")
        found = {name: counts for name, *counts in hooks}
        durations = kept.execute("SELECT sum(calls) FROM hook_durations").fetchone()[0]
        denied = kept.execute("SELECT sum(entries), max(last) FROM denials").fetchone()
        sessions = dict(kept.execute("SELECT session, entries FROM seen_sessions"))

    assert decisions == whole.decisions
    assert found == {
        name: [group.entries, group.votes["ask"], group.votes["deny"]] for name, group in whole.groups.items()
    }
    assert durations == sum(group.entries for group in whole.groups.values()) > 100
    assert denied == (whole.decisions["deny"], max(e.seq for e in entries if e.decision == "deny"))
    assert sessions == Counter(entry.session_id for entry in entries)


def test_the_counts_do_not_depend_on_the_steps(
    path: Path, database: sqlite3.Connection, tmp_path: Path, record: Callable[[int], None]
) -> None:
    """Filled at once or entry by entry, the same is kept."""
    record(60)
    found = []
    for name, step in (("a.db", 1), ("b.db", 1_000)):
        with closing(open_index(tmp_path / "state" / name)) as kept:
            index = SearchIndex(kept, database)
            while index.fill(step):
                pass
            found.append(everything(kept))

    assert found[0] == found[1]
    assert all(found[0].values())


def test_hours_that_retention_removed_are_forgotten(
    path: Path, database: sqlite3.Connection, index: SearchIndex, record: Callable[[int], None]
) -> None:
    """No hour before the first entry that is left is counted any more."""
    record(1_200)
    catch_up(index)
    database.execute("DELETE FROM ledger WHERE seq < 1100")
    record(1)
    catch_up(index)
    first = LedgerReader(database).at(1_100)
    with closing(open_index(index_beside(path))) as kept:
        hours = [hour for (hour,) in kept.execute("SELECT hour FROM hours")]
        earliest = kept.execute("SELECT min(first) FROM times").fetchone()[0]

    assert first is not None
    assert min(hours) == earliest[:13]
    assert min(hours) > "2023-11-15"


def test_a_rewritten_ledger_is_counted_anew(
    path: Path, database: sqlite3.Connection, index: SearchIndex, record: Callable[[int], None]
) -> None:
    """What another history held is in no figure."""
    record(20)
    catch_up(index)
    database.execute("DELETE FROM ledger")
    anew = LedgerWriter(database)
    anew.append("decision", "agent:main", "/w", {"decision": "allow", "session_id": "other", "trace": []})
    anew.flush()
    catch_up(index)
    with closing(open_index(index_beside(path))) as kept:
        found = everything(kept)

    assert [row[1:] for row in found["hours"]] == [("allow", 1)]
    assert [row[0] for row in found["seen_sessions"]] == ["other"]
    assert not found["hook_hours"]


def test_a_decision_of_another_shape_is_counted_and_harms_nothing(
    path: Path, index: SearchIndex, writer: LedgerWriter
) -> None:
    """A trace nobody knows is left out, the decision is not."""
    writer.append("decision", "agent:main", "/w", {"decision": "deny", "trace": "none", "duration_ms": "x"})
    writer.flush()
    catch_up(index)
    with closing(open_index(index_beside(path))) as kept:
        found = everything(kept)

    assert [row[1:] for row in found["hours"]] == [("deny", 1)]


def test_the_line_is_no_part_of_a_hooks_file() -> None:
    """A hook stays the same when a line is added above it."""
    assert file_of("/etc/policy.key:12") == "/etc/policy.key"
    assert file_of("pack:baseline:7") == "pack:baseline"
    assert file_of("<code>") == "<code>"
