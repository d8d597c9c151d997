"""What was learned is asked for before a summary, and once late in a session."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.turns.reminders import MEMORY_TEXT as TEXT
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


def engine(memory: MemoryInProcess | None = None, **config: Any) -> Engine:
    """An engine with this hook alone."""
    return made(
        "memory_nudge", "stop", config, services=HookServices({Memory: memory or MemoryInProcess()}), name="m"
    )


def stopped(given: Engine, session: str = "s", **extra: Any) -> Vote:
    """The end of a turn."""
    return given.decide_sync(Event(name="Stop", session_id=session, cwd="/", extra=extra)).vote


@pytest.mark.req("P52")
def test_every_summary_is_told() -> None:
    """Each time, whatever was said before."""
    given = engine()
    compact = Event(name="PreCompact", session_id="s", cwd="/")

    assert [given.decide_sync(compact).context for _ in range(2)] == [(TEXT,), (TEXT,)]


@pytest.mark.req("P52")
def test_the_third_stop_is_sent_back_and_none_after_it() -> None:
    """Once a session, also when another daemon remembers; another session has its own."""
    memory = MemoryInProcess()
    votes = [stopped(engine(memory)) for _ in range(5)]

    assert [vote is Vote.DENY for vote in votes] == [False, False, True, False, False]
    assert stopped(engine(memory), "other") is Vote.ABSTAIN


@pytest.mark.req("P52")
def test_a_session_of_half_an_hour_is_asked_at_its_first_stop() -> None:
    """It is as old as the first that was heard of it."""
    memory = MemoryInProcess()
    engine(memory).decide_sync(prompt("hello"))
    kept = memory.get("s", "m")
    memory.put("s", "m", {**kept, "since": time.time() - 1801})

    assert kept["stops"] == 0
    assert [stopped(engine(memory)) for _ in range(2)] == [Vote.DENY, Vote.ABSTAIN]


@pytest.mark.req("P52")
def test_a_stop_that_was_sent_back_is_not_counted() -> None:
    """It is the same turn."""
    given = engine(stops=2)
    votes = [stopped(given), *(stopped(given, stop_hook_active=True) for _ in range(3)), stopped(given)]

    assert [vote is Vote.DENY for vote in votes] == [False, False, False, False, True]


def test_prompts_pass_without_a_word() -> None:
    """They only tell how old the session is."""
    decision = engine().decide_sync(prompt("hello"))

    assert (decision.vote, decision.context) == (Vote.ABSTAIN, ())
