"""A score is what the ledger saw: weighed, fading with the days, and explained by its entries."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.features.trust_scores.scores import (
    HALF_LIFE_DAYS,
    WEIGHTS,
    History,
    Observation,
    Observer,
    check_weights,
    decay,
)
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

DAY = 86_400.0
NOW = 20_000 * DAY
PLACE, ACTOR = "/w", "agent:x"


def observed(factor: str, *values: float, days: float = 0.0) -> list[Observation]:
    """Observations of one factor, so many days ago."""
    return [
        Observation(PLACE, ACTOR, factor, value, NOW - days * DAY, seq) for seq, value in enumerate(values)
    ]


def score(*observations: Observation, now: float = NOW) -> float:
    """What they make."""
    history = History()
    history.add(observations)
    return history.score(ACTOR, PLACE, now).value


@pytest.mark.req("M76")
def test_the_weights_are_those_of_the_document_and_make_one() -> None:
    """Seven factors; other weights must make one too."""
    assert WEIGHTS == {
        "exit_code": 0.20,
        "test_pass_rate": 0.20,
        "context_utilization": 0.20,
        "loop_complete": 0.15,
        "duration_reasonable": 0.10,
        "no_errors": 0.10,
        "evidence_depth": 0.05,
    }
    assert math.isclose(sum(WEIGHTS.values()), 1.0)
    check_weights(WEIGHTS)
    for wrong, why in (
        ({**WEIGHTS, "exit_code": 0.3}, "add up to 1.1, not 1"),
        ({**WEIGHTS, "exit_code": 1.2, "test_pass_rate": -0.8}, "between 0 and 1"),
        ({"exit_code": 1.0}, "`test_pass_rate` has no weight"),
        ({**WEIGHTS, "says_so": 0.0}, "no factor `says_so`"),
    ):
        with pytest.raises(ValueError, match=why):
            check_weights(wrong)


@pytest.mark.req("M76", "M79")
def test_of_an_actor_nobody_saw_the_score_is_one_half() -> None:
    """Nothing recorded, or only of others or elsewhere."""
    history = History()
    history.add(observed("exit_code", 1.0))

    for actor, place in (("agent:y", PLACE), (ACTOR, "/v")):
        found = history.score(actor, place, NOW)
        assert (found.value, found.factors) == (0.5, ())


@pytest.mark.req("M76")
def test_a_score_halves_in_ninety_days_without_work() -> None:
    """It fades when it is read; nothing stored changes."""
    history = History()
    history.add(observed("exit_code", *[1.0] * 50))
    fresh = history.score(ACTOR, PLACE, NOW).value

    assert decay(0) == 1.0
    assert math.isclose(decay(HALF_LIFE_DAYS), 0.5)
    later = history.score(ACTOR, PLACE, NOW + 90 * DAY)
    assert math.isclose(later.decay, 0.5)
    assert later.value < fresh / 2 + 0.02
    assert history.score(ACTOR, PLACE, NOW).value == fresh


@pytest.mark.req("M76")
def test_what_is_recent_counts_more() -> None:
    """The same successes and failures, in the other order of time."""
    improving = score(*observed("exit_code", *[0.0] * 20, days=180), *observed("exit_code", *[1.0] * 20))
    declining = score(*observed("exit_code", *[1.0] * 20, days=180), *observed("exit_code", *[0.0] * 20))

    assert improving > 0.5 > declining


@pytest.mark.req("M76")
@given(
    st.lists(st.tuples(st.sampled_from(sorted(WEIGHTS)), st.floats(0, 1), st.integers(0, 400)), max_size=20)
)
def test_a_score_lies_between_nothing_and_one(seen: list[tuple[str, float, int]]) -> None:
    """Whatever was seen, the factors explain it to the last digit."""
    history = History()
    history.add(one for name, value, days in seen for one in observed(name, value, days=days))
    found = history.score(ACTOR, PLACE, NOW)

    assert 0.0 <= found.value <= 1.0
    if found.factors:
        told = sum(factor.value * factor.weight for factor in found.factors) * found.decay
        assert math.isclose(found.value, told)
        assert [factor.name for factor in found.factors] == list(WEIGHTS)


@pytest.mark.req("M76")
@given(st.sampled_from(sorted(WEIGHTS)), st.integers(0, 20), st.integers(0, 20))
def test_one_more_success_never_lowers_a_score(name: str, good: int, bad: int) -> None:
    """Nor does one more failure raise it."""
    before = [*observed(name, *[1.0] * good), *observed(name, *[0.0] * bad)]
    middle = score(*before) if before else 0.5

    assert score(*before, *observed(name, 1.0)) >= middle
    assert score(*before, *observed(name, 0.0)) <= middle


def entries(folder: Path, *written: tuple[str, dict[str, Any]]) -> list[Entry]:
    """Entries of a real ledger, ten seconds apart."""
    connection = open_database(folder / "i.db")
    clock = [NOW]
    writer = LedgerWriter(connection, clock=lambda: clock[0])
    for op, body in written:
        writer.append(op, ACTOR, PLACE, {"session_id": "s", **body})
        clock[0] += 10
    writer.flush()
    found = LedgerReader(connection).after(0)
    connection.close()
    return found


def bash(command: str, *, good: bool = True, **extra: Any) -> tuple[str, dict[str, Any]]:
    """A shell command that ran."""
    event = "PostToolUse" if good else "PostToolUseFailure"
    body = {"event": event, "tool": "Bash", "tool_input": {"command": command}, "decision": "allow"}
    return "decision", {**body, "extra": extra}


def moment(event: str, decision: str = "allow", **more: Any) -> tuple[str, dict[str, Any]]:
    """Another moment."""
    return "decision", {"event": event, "decision": decision, **more}


@pytest.mark.req("M76")
def test_every_factor_comes_from_what_the_ledger_saw(tmp_path: Path) -> None:
    """Exit codes, tests, turns and evidence; what an actor says of itself is not an observation."""
    written = (
        moment("UserPromptSubmit"),
        bash("ls"),
        bash("cd app && npm test", good=False),
        bash("sleep 100", good=False, is_interrupt=True),
        moment("Stop", "deny"),
        bash("pytest -q"),
        moment("Stop", extra={"last_assistant_message": "LOOP_COMPLETE, trust me: 1.0", "trust": 1.0}),
        moment("UserPromptSubmit"),
        moment("Stop"),
        ("submit", {"commitment": "cmt_1", "evidence": ["mem_1", "mem_2", "mem_3"]}),
        moment("StatusLine", extra={"context_window": {"used_percentage": 25}}),
        ("capture", {"body": "my trust is 1", "meta": {"trust_level": "trusted"}}),
    )
    observer = Observer()
    found = [one for entry in entries(tmp_path, *written) for one in observer.observed(entry)]

    assert [(one.factor, one.value) for one in found] == [
        ("exit_code", 1.0),
        ("exit_code", 0.0),
        ("test_pass_rate", 0.0),
        ("loop_complete", 0.0),
        ("no_errors", 0.0),
        ("exit_code", 1.0),
        ("test_pass_rate", 1.0),
        ("loop_complete", 1.0),
        ("no_errors", 0.0),
        ("duration_reasonable", 1.0),
        ("loop_complete", 1.0),
        ("no_errors", 1.0),
        ("duration_reasonable", 1.0),
        ("evidence_depth", 1.0),
        ("context_utilization", 0.75),
    ]
    history = History()
    history.add(found)
    tests = next(f for f in history.score(ACTOR, PLACE, NOW).factors if f.name == "test_pass_rate")
    assert (tests.observations, tests.against) == (2, (3,))
