"""Every regular expression of the package means the same on every Python we run on."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest

import interlock

_PARSER: Any = importlib.import_module("re._parser")
_GROUPS_HELD = {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}
_ONE_CHARACTER = {"LITERAL", "NOT_LITERAL", "ANY", "IN", "CATEGORY"}


def expressions() -> Iterator[tuple[str, re.Pattern[str] | re.Pattern[bytes]]]:
    """Every compiled expression that a module of the package keeps."""
    for found in pkgutil.walk_packages(interlock.__path__, "interlock."):
        if found.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(found.name)).items():
            if isinstance(value, re.Pattern):
                yield f"{found.name}.{name}", value


def holds_a_group(parsed: Any) -> bool:
    """Whether something longer than one character is repeated without giving back."""
    if isinstance(parsed, _PARSER.SubPattern):
        return any(_held(str(operator), value) or holds_a_group(value) for operator, value in parsed)
    if isinstance(parsed, list | tuple):
        return any(holds_a_group(one) for one in parsed)
    return False


def _held(operator: str, value: Any) -> bool:
    if operator not in _GROUPS_HELD:
        return False
    inner = value[-1] if operator == "POSSESSIVE_REPEAT" else value
    return len(inner) != 1 or str(inner[0][0]) not in _ONE_CHARACTER


@pytest.mark.deep
def test_no_group_is_repeated_possessively_since_python_before_3_11_5_matches_it_wrongly() -> None:
    seen = dict(expressions())
    assert len(seen) > 100
    assert [name for name, one in seen.items() if holds_a_group(_PARSER.parse(one.pattern, one.flags))] == []


@pytest.mark.parametrize("expression", ["(?:ab|c)++", "x(?:(a)?+)*", "(?>ab)"])
def test_a_group_that_gives_nothing_back_is_found(expression: str) -> None:
    assert holds_a_group(_PARSER.parse(expression))


def test_a_single_character_that_gives_nothing_back_is_not_one() -> None:
    assert not holds_a_group(_PARSER.parse("[ab]++c?+(?:d*+|e)*"))
