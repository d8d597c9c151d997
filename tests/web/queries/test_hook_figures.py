"""Laws of the figures over time."""

from __future__ import annotations

import datetime as dt
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read
from interlock.web.queries.entries import Indexed, indexed, seen_session, seen_sessions
from interlock.web.queries.figures import (
    SPANS,
    Window,
    decisions_over_time,
    hook_figures,
    latency,
    top_denials,
    window_of,
)

NOW = dt.datetime(2026, 3, 17, 13, 40, tzinfo=dt.UTC)
HOOKS = ("a", "b", "c")
Made = list[tuple[str, str, list[tuple[str, str, float]]]]  # time, decision and votes of each decision


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Decisions of the last forty days, at random."""
    chosen, now = random.Random(8), [0.0]
    found: Made = []
    with closing(open_database(tmp_path / "interlock.db")) as connection:
        writer = LedgerWriter(connection, clock=lambda: now[0])
        for number in range(800):
            now[0] = NOW.timestamp() - (800 - number) * 40 * 86_400 / 800
            ts = dt.datetime.fromtimestamp(now[0], dt.UTC).strftime("%Y-%m-%dT%H")
            votes = [
                (name, chosen.choice(("ask", "deny", "abstain")), chosen.random() * 9)
                for name in chosen.sample(HOOKS, 2)
            ]
            decision = chosen.choice(("allow", "ask", "deny"))
            found.append((ts, decision, votes))
            trace = [
                {"hook": name, "vote": vote, "duration_ms": ms, "source": "/p.key:3", "matcher": f"m-{name}"}
                for name, vote, ms in votes
            ]
            body = {"decision": decision, "decided_by": votes[0][0], "trace": trace, "duration_ms": 2.0}
            writer.append("decision", "agent:main", "/w", {**body, "session_id": f"s{number // 40}"})
        writer.flush()
    return found


@pytest.fixture
def index(tmp_path: Path, made: Made) -> Iterator[Indexed]:
    """The index of them."""
    database = tmp_path / "interlock.db"
    with closing(open_to_read(database)) as ledger, indexed(database, ledger) as found:
        yield found


@pytest.mark.parametrize("name", list(SPANS))
def test_the_figures_of_a_window_are_those_of_its_entries(index: Indexed, made: Made, name: str) -> None:
    """Decisions, slots, votes and durations, as reading every entry gives them."""
    window = window_of(name, NOW)
    within = [one for one in made if one[0] >= window.since]
    slots = decisions_over_time(index.connection, window)
    hooks = {one.hook: one for one in hook_figures(index.connection, window)}
    calls = Counter(name for _, _, votes in within for name, _, _ in votes)
    denials = Counter(name for _, _, votes in within for name, vote, _ in votes if vote == "deny")

    assert [slot.at for slot in slots] == list(window.slots)
    assert Counter(one[1] for one in within) == Counter(
        {word: sum(getattr(slot, word) for slot in slots) for word in ("allow", "ask", "deny")}
    )
    assert {hook: one.calls for hook, one in hooks.items()} == calls
    assert {hook: one.denials for hook, one in hooks.items()} == denials
    assert {hook: sum(one.slots) for hook, one in hooks.items()} == calls
    assert all(len(one.slots) == len(window.slots) for one in hooks.values())
    assert latency(index.connection, window).count == len(within)


def test_quantiles_of_hooks_are_right_to_a_tenth(index: Indexed, made: Made) -> None:
    """Kept coarsely, told honestly."""
    window = window_of("30d", NOW)
    times = sorted(ms for ts, _, votes in made for name, _, ms in votes if ts >= window.since and name == "a")
    found = {one.hook: one for one in hook_figures(index.connection, window)}["a"]

    assert found.p50 == pytest.approx(times[len(times) // 2], rel=0.13)
    assert found.p95 == pytest.approx(times[int(len(times) * 0.95)], rel=0.13)


def test_denials_are_ranked_by_rule_and_pattern(index: Indexed, made: Made) -> None:
    """A rule counts with what its vote, deny or ask, matched; where it voted otherwise, with nothing."""
    window = Window(name="all", title="", since="2026-01-01T00", hours=24, slots=())
    expected = Counter(
        (votes[0][0], f"m-{votes[0][0]}" if votes[0][1] in {"ask", "deny"} else "")
        for _, decision, votes in made
        if decision == "deny"
    )
    found = top_denials(index.connection, window)

    assert {(one.hook, one.matcher): one.count for one in found} == expected
    assert [one.count for one in found] == sorted((one.count for one in found), reverse=True)


def test_sessions_come_newest_first_a_page_at_a_time(index: Indexed) -> None:
    """The next page begins before the last entry of the page before."""
    names: list[str] = []
    before = None
    for _ in range(9):
        page = seen_sessions(index.connection, limit=3, before=before)
        names += [one.session for one in page]
        before = page[-1].newest if page else 0

    assert names == [f"s{number}" for number in range(19, -1, -1)]
    one = seen_session(index.connection, "s3")
    assert one is not None
    assert one.entries == 40
    assert seen_session(index.connection, "nobody") is None


def test_an_index_far_behind_holds_no_page_up(tmp_path: Path) -> None:
    """A page takes in some entries and says how many are missing; pages that follow catch up."""
    database = tmp_path / "interlock.db"
    with closing(open_database(database)) as connection:
        writer = LedgerWriter(connection)
        for _ in range(2_300):
            writer.append("decision", "agent:main", "/w", {"decision": "allow"})
        writer.flush()
    lags = []
    with closing(open_to_read(database)) as ledger:
        for _ in range(3):
            with indexed(database, ledger) as found:
                lags.append(found.lag)

    assert lags == [1_300, 300, 0]


def test_a_damaged_index_is_made_anew(tmp_path: Path, made: Made) -> None:
    """Nobody has to know that there is one."""
    database = tmp_path / "interlock.db"
    (tmp_path / "search.db").unlink(missing_ok=True)
    (tmp_path / "search.db").write_bytes(b"no database" * 1_000)
    (tmp_path / "search.db").chmod(0o600)
    with closing(open_to_read(database)) as ledger, indexed(database, ledger) as found:
        count = found.connection.execute("SELECT sum(entries) FROM hours").fetchone()

    assert count == (len(made),)
