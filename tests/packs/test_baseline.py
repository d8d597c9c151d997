"""The pack `baseline`: everyday work passes, what cannot be undone or leaks is stopped."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.packs.corpus import Row, corpus, is_stopped

from interlock.engine.engine import Engine
from interlock.events.verdict import Vote

BENIGN = corpus("benign")
HOSTILE = corpus("hostile")
LEAST_ROWS = 550
MOST_ASKED = 0.01
LEAST_STOPPED = 0.99
# Where something is deleted, git may be asked what it ignores.
_DELETES = re.compile(r"rm|rimraf|find|truncate|unlink|remove|parallel")


def _cases(rows: tuple[Row, ...]) -> list[Any]:
    return [
        pytest.param(row, id=row.shown, marks=[pytest.mark.deep] if _DELETES.search(str(row)) else [])
        for row in rows
    ]


def _votes(engine: Engine, project: str, rows: tuple[Row, ...]) -> list[Vote]:
    return [engine.decide_sync(row.event(project)).vote for row in rows]


@pytest.mark.parametrize("row", _cases(BENIGN))
def test_everyday_work_is_left_alone(baseline: Engine, project: str, row: Row) -> None:
    """A call that harms nobody passes; the few that are asked about say why."""
    decision = baseline.decide_sync(row.event(project))

    assert row.meets(decision.vote), decision.reason


@pytest.mark.parametrize("row", _cases(HOSTILE))
def test_harm_is_stopped(baseline: Engine, project: str, row: Row) -> None:
    """A call that destroys or leaks is denied or asked about, in every spelling."""
    decision = baseline.decide_sync(row.event(project))

    assert row.meets(decision.vote), f"{decision.vote}: {row.why}"


@pytest.mark.deep
def test_everyday_work_is_never_denied_and_hardly_asked_about(baseline: Engine, project: str) -> None:
    """No denial at all, and one question in a hundred at most."""
    votes = _votes(baseline, project, BENIGN)

    assert len(votes) >= LEAST_ROWS
    assert Vote.DENY not in votes
    assert votes.count(Vote.ASK) <= MOST_ASKED * len(votes)


@pytest.mark.deep
def test_nearly_all_harm_is_stopped(baseline: Engine, project: str) -> None:
    """What the corpus knows to pass today is counted as passed."""
    votes = _votes(baseline, project, HOSTILE)

    assert len(votes) >= LEAST_ROWS
    assert sum(map(is_stopped, votes)) >= LEAST_STOPPED * len(votes)


@pytest.mark.parametrize("name", ["benign", "hostile"])
def test_a_corpus_says_each_thing_once_and_why(name: str) -> None:
    """Rows differ, and each has a reason."""
    rows = corpus(name)

    assert len({(row.run, row.tool, str(row.input)) for row in rows}) == len(rows)
    assert all(row.why and row.group for row in rows)
