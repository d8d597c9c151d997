"""What waits for the model is delivered once, in the form of the documents."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.recovery_text import (
    LONGEST,
    Injection,
    injection_text,
    read_injections,
    take_injections,
)

WAITING = [{"ruleId": "a", "content": "Alpha."}, {"ruleId": "b", "content": "Beta."}]


@pytest.mark.req("E52")
def test_injections_are_taken_and_everything_else_stays() -> None:
    """Taking leaves the metadata without them; a second taking finds none."""
    metadata = {"blockAfter": 5, "pendingInjections": WAITING, "guards": []}
    found, rest = take_injections(metadata)

    assert injection_text(found) == "[Directive: a]\nAlpha.\n\n[Directive: b]\nBeta."
    assert rest == {"blockAfter": 5, "guards": []}
    assert take_injections(rest) == ((), rest)
    assert msgspec.to_builtins(list(found)) == WAITING
    assert "pendingInjections" in metadata


@pytest.mark.parametrize("value", [None, "x", {}, [None, 7, {"ruleId": "a"}, {"ruleId": 1, "content": "x"}]])
def test_what_is_no_injection_is_passed_over(value: Any) -> None:
    """The good ones beside it are delivered."""
    assert read_injections(value) == ()
    if isinstance(value, list):
        assert len(read_injections([*value, *WAITING])) == 2


def test_a_text_without_end_is_cut() -> None:
    """It would fill the window."""
    text = injection_text((Injection(rule_id="a", content="x" * (2 * LONGEST)),))

    assert len(text) < LONGEST + 100
    assert "characters left out" in text


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_kept_and_read_again_they_are_the_same(pairs: list[tuple[str, str]]) -> None:
    """Whatever they say."""
    injections = tuple(Injection(rule_id=rule, content=content) for rule, content in pairs)

    assert read_injections(msgspec.to_builtins(list(injections))) == injections
