"""What conditions may ask about the work of a session."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
from tests.features.work.place_of_work import begun, window

from interlock.features.work.service import facts_of
from interlock.features.work.store import WorkStore


def test_a_session_at_work_tells_of_itself_and_its_effort(work: WorkStore, tmp_path: Path) -> None:
    """How often it called without a word, how full its window is, and where the effort stands."""
    effort = begun(work, tmp_path, mode="fast")
    session = window(work, "s", effort)
    work.sessions.beat(session.id, "t1")
    work.phases.enter(effort, "1: Plan")
    work.sessions.beat(session.id, "t2")
    work.sessions.set_usage(session.id, 0.5)
    facts = facts_of(work, "s", None)

    assert facts is not None
    assert facts.session == {"heartbeat_counter": 1, "context_usage": 0.5}
    assert facts.effort == {
        "id": effort.id,
        "skill": "implement",
        "mode": "fast",
        "phase": "1: Plan",
        "ordinal": 1,
        "task": str(tmp_path / "task"),
    }


def test_what_is_not_known_is_not_there(work: WorkStore, tmp_path: Path) -> None:
    """So that a condition can ask for it with `has`."""
    window(work, "s", begun(work, tmp_path))
    facts = facts_of(work, "s", None)

    assert facts is not None
    assert "context_usage" not in facts.session


def test_a_session_at_nothing_has_no_facts(
    work: WorkStore, tmp_path: Path, database: sqlite3.Connection
) -> None:
    """One without an effort, one that ended, a sub-agent of nobody, and where the store cannot be read."""
    window(work, "idle")
    over = window(work, "over", begun(work, tmp_path))
    work.sessions.end(over.id)
    window(work, "s", begun(work, tmp_path))

    for host, agent in (("idle", None), ("over", None), ("s", "a1"), ("unknown", None), ("", None)):
        assert facts_of(work, host, agent) is None
    database.close()
    assert facts_of(work, "s", None) is None


def test_the_facts_are_plain_values(work: WorkStore, tmp_path: Path) -> None:
    """They go into an event."""
    window(work, "s", begun(work, tmp_path))
    facts = facts_of(work, "s", None)

    assert facts is not None
    assert msgspec.json.decode(msgspec.json.encode(facts), type=type(facts)) == facts
