"""Asking about many texts at once whether it is worth asking about each."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.patterns.glob import GlobSet, Sieve, glob_expression

TEXTS = st.text("ab/.*\0\n é", max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("12"), TEXTS), max_size=4), st.lists(TEXTS, min_size=1, max_size=4))
def test_what_one_text_meets_is_never_sifted_out(marked: list[tuple[str, str]], globs: list[str]) -> None:
    """Where a glob for a mark matches a text with that mark, the sieve says so, whatever stands around."""
    expressions = [glob_expression(glob) for glob in globs]
    alone = GlobSet(("", one) for one in expressions)
    sieve = Sieve(("1", one) for one in expressions)

    if any(alone.hits(text) for mark, text in marked if mark == "1"):
        assert sieve.may_hit(mark + text for mark, text in marked)


def test_texts_that_nothing_speaks_of_are_sifted_out() -> None:
    """Neither another text nor another mark is let through."""
    sieve = Sieve([("1", "a.*b"), ("2", "c")])

    assert not sieve.may_hit(["2ab", "1c", "1b", "1xab", "1abx"])
    assert sieve.may_hit(["2x", "1aab"])
