"""Laws of counting."""

from __future__ import annotations

import sqlite3
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.decisions import fill

from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.search import counts
from interlock.search.counts import OTHERS, By, Durations, count


def test_the_counts_are_those_of_the_entries(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """Decisions, denying rules, tools, gaps and open passes, as reading everything gives them."""
    fill(writer, 200)
    writer.append("gap", "system", "", {"lost": 7})
    writer.append("decision", "agent:main", "/w", {"decision": "allow", "open_passes": 2, "tool": "Bash"})
    writer.flush()
    found = count(database)
    entries = LedgerReader(database).page(limit=1_000)
    decided = [entry for entry in entries if entry.op == "decision"]

    assert found.entries == 202
    assert found.decisions == Counter(entry.decision for entry in decided)
    assert found.tools == Counter(entry.tool for entry in decided)
    assert found.denied_by == Counter(
        entry.body.get("decided_by", "-") for entry in decided if entry.decision == "deny"
    )
    assert (found.lost, found.open_passes, found.ops["gap"]) == (7, 2, 1)


@pytest.mark.parametrize("by", list(By))
def test_every_decision_is_in_one_group(database: sqlite3.Connection, writer: LedgerWriter, by: By) -> None:
    """The rows of a table add up to the whole, however it is cut."""
    fill(writer, 100)
    found = count(database, by)

    assert sum(group.entries for group in found.groups.values()) == found.decisions.total()


def test_names_without_end_take_no_memory(
    database: sqlite3.Connection, writer: LedgerWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many names the rest is counted together."""
    monkeypatch.setattr(counts, "_MOST", 5)
    for number in range(20):
        body = {"decision": "allow", "session_id": f"s{number}", "tool": f"T{number}"}
        writer.append("decision", "agent:main", "/w", body)
    writer.flush()
    found = count(database, By.SESSION)

    assert len(found.groups) == 6
    assert found.groups[OTHERS].entries == 15
    assert found.tools[OTHERS] == 15


@given(st.lists(st.floats(min_value=0.001, max_value=1e7), min_size=1), st.sampled_from([0.5, 0.95]))
def test_a_quantile_is_right_to_five_percent(values: list[float], share: float) -> None:
    """Against sorting them all."""
    durations = Durations()
    for value in values:
        durations.add(value)
    place = max(0, -int(-(share * len(values)) // 1) - 1)
    exact = sorted(values)[place]
    found = durations.quantile(share)

    assert found is not None
    assert exact * 0.999 - 0.001 <= found <= exact * 1.051 + 0.001
    assert Durations().quantile(0.5) is None
