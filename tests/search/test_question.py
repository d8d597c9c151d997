"""Laws of what a person types to search for."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.errors import InterlockError
from interlock.search.question import parse_question

_TABLE = sqlite3.connect(":memory:")
_TABLE.execute("CREATE VIRTUAL TABLE t USING fts5 (facts, text, content = '')")


@given(st.text(max_size=60) | st.text(alphabet='"*():^+-{}\\ aANDORNOT\0', max_size=60))
def test_nothing_that_can_be_typed_is_an_error_of_the_index(text: str) -> None:
    """Whatever stands there is looked for as words, or refused in a sentence of ours."""
    try:
        question = parse_question(text)
    except InterlockError:
        return
    _TABLE.execute("SELECT rowid FROM t WHERE t MATCH ?", (f"{{text}} : ({question.match})",)).fetchall()


@pytest.mark.parametrize(
    ("typed", "match"),
    [
        ("git push", '"git" AND "push"'),
        ('"git push" main', '"git push" AND "main"'),
        ("dep*", '"dep" *'),
        ('"npm ru"*', '"npm ru" *'),
        ("src/app.py", '"src app py"'),
        ("a OR b", '"a" AND "OR" AND "b"'),
        ("-- --force", '"force"'),
        ('lone" quote', '"lone" AND "quote"'),
    ],
)
def test_words_phrases_and_beginnings(typed: str, match: str) -> None:
    """Each form means one thing."""
    assert parse_question(typed).match == match


@pytest.mark.parametrize(
    ("typed", "said"), [("", "no letter"), ("-- *", "no letter"), ("x " * 600, "too many")]
)
def test_what_cannot_be_searched_for_is_refused(typed: str, said: str) -> None:
    """In one sentence that says what to give instead."""
    with pytest.raises(InterlockError, match=said):
        parse_question(typed)


def test_the_places_of_a_match_are_those_of_whole_words() -> None:
    """What is shown in colour is what was found."""
    question = parse_question('push "origin main" dep*')
    text = "pushed: git push origin  main; deploy"

    assert [text[a:b] for a, b in question.spans(text)] == ["push", "origin  main", "deploy"]
