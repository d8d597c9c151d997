"""Whether one glob covers another."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.features.lint.contradictions import glob_covers

_GLOBS = st.text(alphabet="ab*?", max_size=4)
# Longer than any glob that is drawn, with a letter that stands in none of them.
_TEXTS = ["".join(letters) for length in range(8) for letters in product("abc", repeat=length)]


def _expression(glob: str) -> re.Pattern[str]:
    return re.compile("".join({"*": ".*", "?": "."}.get(letter, letter) for letter in glob))


@given(wide=_GLOBS, narrow=_GLOBS)
def test_the_answer_is_the_one_of_trying_every_short_text(wide: str, narrow: str) -> None:
    """One glob covers another exactly when no text is matched by the second alone."""
    inside, outside = _expression(narrow), _expression(wide)
    missed = [text for text in _TEXTS if inside.fullmatch(text) and not outside.fullmatch(text)]

    assert glob_covers(wide, narrow) is not bool(missed)


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        ("*", "anything *", True),
        ("git *", "git push *", True),
        ("git push *", "git *", False),
        ("?*", "*?", True),
        ("*a*", "*ba*", True),
        ("src/**", "src/a/*", True),
        ("a*b*c", "a*c", False),
        ("", "", True),
        ("?", "*", False),
    ],
)
def test_globs_of_policies(wide: str, narrow: str, covered: bool) -> None:
    """What people write is decided as they would say."""
    assert glob_covers(wide, narrow) is covered


def test_a_monster_is_not_claimed_to_be_covered() -> None:
    """What would take too long is answered by no, which only costs a finding."""
    assert not glob_covers("*a" + "?" * 40 + "*", "*" + "a*" * 60)
