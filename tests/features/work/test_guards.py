"""Guard rules fire on what is known, and never on what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.phase_rules import FIELDS, MOST, OPS, FiredRule, firing_rules, problems

VALUES = {
    "heartbeat_counter": 5,
    "context_usage": 0.5,
    "tool": "Bash",
    "phase": "2: Build",
    "skill": "fix",
    "mode": None,
}


def rule(field: Any = None, op: Any = None, value: Any = None, *, cel: Any = None, name: Any = "r") -> Any:
    condition = {"cel": cel} if cel is not None else {"field": field, "op": op, "value": value}
    return {"ruleId": name, "condition": condition, "payload": {"text": "hi"}}


def fires(one: Any, **values: Any) -> bool:
    return bool(firing_rules([one], {**VALUES, **values}))


@pytest.mark.parametrize(
    ("op", "below", "equal", "above"),
    [
        ("gte", False, True, True),
        ("gt", False, False, True),
        ("lte", True, True, False),
        ("lt", True, False, False),
        ("eq", False, True, False),
    ],
)
@pytest.mark.req("E47")
def test_a_rule_compares_a_field_with_a_value(op: str, *, below: bool, equal: bool, above: bool) -> None:
    """Five comparisons over counts and shares."""
    for count, expected in ((4, below), (5, equal), (6, above)):
        assert fires(rule("heartbeat_counter", op, 5), heartbeat_counter=count) is expected
        assert fires(rule("context_usage", op, 0.5), context_usage=count / 10) is expected


@pytest.mark.req("E47")
def test_every_rule_that_holds_is_returned_in_order() -> None:
    """With its payload, whatever that is."""
    rules = [rule("heartbeat_counter", "gte", n, name=f"r{n}") for n in range(10)]

    assert [one.rule_id for one in firing_rules(rules, VALUES)] == ["r0", "r1", "r2", "r3", "r4", "r5"]
    assert firing_rules(rules[:1], VALUES) == (FiredRule(rule_id="r0", payload={"text": "hi"}),)


@pytest.mark.parametrize(
    "one",
    [
        rule("heartbeat_counter", "ge", 0),
        rule("heartbeat_counter", ["gte"], 0),
        rule("mode", "eq", None),
        rule("mode", "lte", 9),
        rule("nothing", "eq", None),
        rule(["tool"], "eq", "Bash"),
        rule("heartbeat_counter", "gte", "0"),
        rule("heartbeat_counter", "gte", True),
        rule("heartbeat_counter", "gte", None),
        rule("tool", "gte", 0),
        rule(cel="heartbeat_counter >="),
        rule(cel="mode > 3"),
        rule(cel="heartbeat_counter"),
        rule(cel="secret == 1"),
        rule(cel=7),
        rule(cel="1 == 1 && " * 100 + "true"),
        rule(cel="[1, 2].exists(x, x > 1)"),
        rule("heartbeat_counter", "gte", 0, name=None),
        {"ruleId": "r"},
        {"ruleId": "r", "condition": "heartbeat_counter >= 0"},
        "rule",
        None,
    ],
)
@pytest.mark.req("E47")
def test_an_unknown_op_a_null_field_and_nonsense_never_fire(one: Any) -> None:
    """What cannot be said of the moment does not hold; the other rules are not disturbed."""
    good = rule("heartbeat_counter", "gte", 0, name="good")

    assert [found.rule_id for found in firing_rules([one, good], VALUES)] == ["good"]


@pytest.mark.parametrize(
    "cel",
    [
        "heartbeat_counter >= 5",
        "context_usage > 0.4 && tool == 'Bash'",
        "phase.startsWith('2') && mode == null",
        "skill in ['fix', 'test']",
    ],
)
def test_a_rule_may_be_an_expression(cel: str) -> None:
    """Over every field at once."""
    assert fires(rule(cel=cel))
    assert not fires(rule(cel=f"!({cel})"))
    assert problems([rule(cel=cel)]) == ()


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "is not a list"),
        ([{}], "`guards[0]` has no `ruleId`"),
        ([{"ruleId": "r"}], "has no `condition`"),
        (
            [rule("heartbeat_counter", "gt", 1), rule("heartbeat", "gt", 1)],
            "did you mean `heartbeat_counter`?",
        ),
        ([rule("heartbeat_counter", "gtee", 1)], "did you mean `gte`?"),
        ([rule(cel="secret == 1")], "unknown name `secret`"),
        ([rule(cel="[1].all(x, x > 0)")], "no lists to walk"),
        ([rule(cel="tool ==")], "cannot be read"),
        ([rule(cel="tool == '" + "x" * 600 + "'")], "too long"),
        ([rule("tool", "eq", "x")] * (MOST + 1), f"at most {MOST}"),
    ],
)
def test_what_is_wrong_with_rules_is_said_before_they_are_kept(rules: Any, words: str) -> None:
    """One sentence each, with the place."""
    (problem,) = problems(rules)

    assert words in problem
    assert "\n" not in problem


@settings(deadline=None)
@given(
    rules=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["ruleId", "condition", "field", "op", "value", "cel"]), inner)
            | st.fixed_dictionaries(
                {
                    "ruleId": st.text(max_size=3),
                    "condition": st.fixed_dictionaries(
                        {"field": st.sampled_from(FIELDS), "op": st.sampled_from([*OPS]), "value": inner}
                    ),
                }
            )
        ),
        max_leaves=10,
    )
)
def test_no_rules_ever_raise(rules: Any) -> None:
    """They come out of metadata that anyone may have written."""
    for one in firing_rules(rules, VALUES):
        assert isinstance(one.rule_id, str)
    problems(rules)
