"""One deadline per event, on a clock that never jumps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.builders import Says, bash, hook

from interlock.engine.engine import Engine
from interlock.events.hook import Dialect
from interlock.events.verdict import NO_OPINION, Outcome, Vote


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.req("D15")
def test_the_budget_of_the_event_caps_every_hook() -> None:
    """Each hook is told the time it really has, and the one after the end is not started."""
    clock = Clock()
    times: Iterator[float] = iter([3.0, 3.0, 9.0, 0.0])

    def slow(_: object) -> object:
        clock.now += next(times)
        return NO_OPINION

    says = [Says(slow) for _ in range(4)]  # type: ignore[arg-type]  # `object` stands for any event
    hooks = [hook(one, timeout=4, dialect=Dialect.HOOKS_TOML) for one in says]
    decision = Engine(hooks, clock=clock).decide_sync(bash("ls"), budget=10)

    assert [one.given for one in says] == [[4], [4], [4], []]
    assert [row.outcome for row in decision.trace][-1] is Outcome.TIMEOUT
    assert [row.duration_ms for row in decision.trace] == [3_000, 3_000, 9_000, 0]


@pytest.mark.req("D15", "F01")
def test_a_judge_without_time_denies() -> None:
    """Running out of time before a tool call is closed like any other failure."""
    clock = Clock()

    def slow(_: object) -> object:
        clock.now += 11
        return NO_OPINION

    hooks = [hook(Says(slow)), hook(Says(NO_OPINION), name="late")]  # type: ignore[arg-type]  # as above
    decision = Engine(hooks, clock=clock).decide_sync(bash("ls"), budget=10)

    assert (decision.vote, decision.reason) == (Vote.DENY, "no time was left for hook `late`")


@pytest.mark.req("D15")
def test_the_wall_clock_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall clock that jumps a year changes nothing: deciding never reads it."""

    def jump() -> float:
        raise AssertionError("the wall clock was read")

    monkeypatch.setattr("time.time", jump)
    assert Engine([hook(NO_OPINION)]).decide_sync(bash("ls")).vote is Vote.ABSTAIN
