"""Globs over commands: however they are filed, they hit what their expressions match."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.patterns.command_globs import CommandGlobs
from interlock.patterns.glob import GlobSet, command_denial_expression

# Few pieces, so that globs and texts often meet; among them all that some engine takes for a blank.
PIECES = ("git", "push", "rm", "--force", "-f", "/", ".", "é", " ", " ", " ", *"\t\n\f\v\r\xa0\x1f\x85\0")
TEXTS = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)
GLOBS = st.lists(st.sampled_from((*PIECES, "*", "*", "?", " *", " *")), min_size=1, max_size=6).map("".join)


def expected(globs: list[str], text: str) -> set[str]:
    return set(GlobSet((glob, command_denial_expression(glob)) for glob in globs).hits(text) or ())


@pytest.mark.deep
@settings(max_examples=400, deadline=None)
@given(
    st.lists(GLOBS, min_size=1, max_size=8, unique=True), st.lists(TEXTS, min_size=1, max_size=4, unique=True)
)
def test_a_glob_hits_what_its_expression_matches(globs: list[str], texts: list[str]) -> None:
    """By its first word, written out or among the rest, alone or with others: the answer is the same."""
    patterns = CommandGlobs({glob: glob for glob in globs})
    together = patterns.all_hits(texts)

    for text in texts:
        assert set(patterns.hits(text) or ()) == expected(globs, text)
        assert set(together[text] or ()) == expected(globs, text)


@pytest.mark.parametrize("blank", ["\t", "\n", "\f", "\r", " "])
def test_any_blank_ends_a_word(blank: str) -> None:
    """`git push *` speaks of `git push` whatever stands behind it."""
    patterns = CommandGlobs({"it": "git push *"})

    assert patterns.hits(f"git push{blank}x") == ["it"]
    assert patterns.hits("git push") == ["it"]
    assert patterns.hits("git pushy") == []


def test_many_globs_of_one_program_are_all_found() -> None:
    """Where too many begin with one word to compare them one by one, none is lost."""
    globs = [f"git do-{n} *" for n in range(500)]
    patterns = CommandGlobs({glob: glob for glob in globs})

    for n in (0, 7, 499):
        assert patterns.hits(f"git do-{n} now") == [globs[n]]
        assert patterns.all_hits([f"git do-{n}", "ls"]) == {f"git do-{n}": [globs[n]], "ls": []}


def test_two_patterns_of_one_glob_both_hit() -> None:
    """Patterns are told apart by their own text."""
    patterns = CommandGlobs({"a": "git push", "b": "git push", "c": "git *", "d": "git *"})

    assert set(patterns.hits("git push") or ()) == {"a", "b", "c", "d"}


def test_a_mark_inside_a_text_parts_nothing() -> None:
    """What stands between two NULs of one text is not text of its own."""
    patterns = CommandGlobs({"it": "*rm -rf"})

    assert patterns.hits("x\0y rm -rf\0z") == []
    assert patterns.all_hits(["x\0y rm -rf\0z", "ls"]) == {"x\0y rm -rf\0z": [], "ls": []}
