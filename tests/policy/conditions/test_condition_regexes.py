"""Expressions of conditions: compiled once, and they say what CEL says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.builders import bash, call
from tests.packs.corpus import corpus

from interlock.errors import ConditionError
from interlock.policy.conditions.condition import parse_condition
from interlock.policy.conditions.syntax import as_re2, compile_regexes, rewrite
from interlock.policy.packs import find_pack

FIELD = ("tool", "input", "command")
CONDITIONS = [rule.condition for rule in find_pack("baseline").rules.values() if rule.condition]
EXPRESSIONS = sorted({one for text in CONDITIONS for one in re.findall(r"matches\(r'([^']*)'\)", text)})
ALIKE = (
    *EXPRESSIONS,
    "^a",
    "a$",
    "a.b",
    "(?i)k",
    "[^a]",
    "[-a]",
    "a{2,3}",
    "(a|b)*?c",
    r"a(?-u:\b)",
    r"\x27",
)
TEXTS = [row.run for row in (*corpus("benign"), *corpus("hostile")) if row.run]


def by_cel(expression: str, text: str) -> bool:
    """What CEL says: an expression that is not a literal is left to it."""
    return parse_condition(f"tool.input.command.matches(r'{expression}' + '')").holds(bash(text))


def quickly(expression: str, text: str) -> bool:
    return parse_condition(f"tool.input.command.matches(r'{expression}')").holds(bash(text))


@pytest.mark.parametrize("expression", ALIKE)
def test_an_expression_of_the_pack_is_compiled_once(expression: str) -> None:
    """None of them is left to CEL."""
    text = f"tool.input.command.matches(r'{expression}')"

    assert compile_regexes(rewrite(text, as_re2).searches)
    assert "matches" not in rewrite(text, as_re2).text


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(ALIKE), st.one_of(st.sampled_from(TEXTS), st.text("aAbBkK\u212aé' \n.c-\x00", max_size=8))
)
def test_both_engines_say_the_same(expression: str, text: str) -> None:
    """On the texts of the corpora and on odd ones."""
    assert quickly(expression, text) is by_cel(expression, text)


@pytest.mark.parametrize(
    "expression",
    [
        *(r"\w", r"\d+", r"\bx", r"\pL", r"a\z", r"\Qa\E", r"\C", "[[:alpha:]]", r"[\w]", "[a&&b]", "[a--b]"),
        *("[a~~b]", "[[a]b]", "(?x)a b", "(?u)a", "(?P<n>a)", "a**", "{", "a{", "[", "(", "*", "(?", "[^]"),
    ],
)
def test_what_the_engines_may_read_differently_is_left_to_cel(expression: str) -> None:
    """Classes of letters, sets inside of sets, modes, and what is not an expression at all."""
    searches = rewrite(f"tool.input.command.matches(r'{expression}')", as_re2).searches

    assert not searches or compile_regexes(searches) is None


@pytest.mark.parametrize("value", [None, 7, ["x"], "\ud800"])
def test_a_field_that_is_no_text_fails_as_before(value: object) -> None:
    """Nothing is found in it and nothing is missing from it: there is no answer."""
    event = call("Bash", tool_input={"command": value})

    with pytest.raises(ConditionError):
        parse_condition("tool.input.command.matches('x')").holds(event)


def test_an_answer_that_does_not_need_the_field_stands() -> None:
    """As CEL has it: what is true already stays true."""
    assert parse_condition("true || tool.input.command.matches('x')").holds(call("Bash", tool_input={}))
