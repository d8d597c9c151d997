"""An expression over plain values says yes only where it can be said."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.errors import ConditionError
from interlock.policy.conditions.condition import MAX_GUARD_LENGTH, ValueCondition

NAMES = ("count", "tool")


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("count >= 3", {"count": 3}, True),
        ("count >= 3", {"count": 2}, False),
        ("count > 0.5", {"count": 0.6}, True),
        ("count >= 3", {}, False),  # null cannot be compared
        ("count == null", {}, True),
        ("tool.startsWith('B') && count < 3", {"tool": "Bash", "count": 1}, True),
        ("tool.startsWith('B')", {"tool": 7}, False),
        ("count", {"count": 1}, False),  # no yes and no no
        ("count / 0 == 1", {"count": 1}, False),
    ],
)
def test_it_holds_where_it_is_true_and_nowhere_else(
    text: str, values: dict[str, Any], expected: bool
) -> None:
    """What fails, or is not a truth value, does not hold."""
    assert ValueCondition(text, NAMES).holds(values) is expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("coutn > 1", "did you mean `count`?"),
        ("count >", "cannot be read"),
        ("count.frobnicate()", "unknown function `frobnicate`"),
        ("[1].exists(x, x > 0)", "no lists to walk"),
        ("count == " + "1" * MAX_GUARD_LENGTH, "too long"),
        ("", "cannot be read"),
    ],
)
def test_what_it_cannot_be_is_said_when_it_is_read(text: str, words: str) -> None:
    """One sentence, not later at some event."""
    with pytest.raises(ConditionError) as caught:
        ValueCondition(text, NAMES)

    assert words in str(caught.value)
