"""Laws of texts that are cut short."""

from __future__ import annotations

import pytest

from interlock.events.text import and_more, one_line, plural, printable_line, shorten


@pytest.mark.parametrize("cut", [shorten, one_line, printable_line])
def test_a_text_is_never_longer_than_asked_and_a_mark_says_that_it_was_cut(cut: type) -> None:
    """What fits stays as it is."""
    assert str(cut("abcdef", 6)) == "abcdef"
    assert str(cut("abcdefg", 6)) == "abcde…"


def test_one_line_has_no_breaks_and_nothing_a_terminal_would_act_on() -> None:
    """Words of a text stay apart."""
    assert one_line("a\n\tb  c", 80) == "a b c"
    assert printable_line("a\x1b[2Jb\nc", 80) == "a [2Jb c"


def test_a_list_says_how_many_are_not_shown() -> None:
    """Nothing where all of them are."""
    assert (and_more(5, 5), and_more(7, 5)) == ("", " and 2 more")
    assert (plural(1, "call"), plural(0, "call"), plural(2, "call")) == ("1 call", "0 calls", "2 calls")
