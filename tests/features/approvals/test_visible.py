"""Laws of text for an approver: what is there can be seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.events.text import strange, visible, visible_lines

HIDING = (
    "\x1b\x07\x00\x7f\x9b\r\t\u00a0\u00ad\u034f\u061c\u115f\u2003\u200b\u200d\u2028\u202e\u2066"
    "\u2800\u3164\ufe0f\ufeff\U000e0041\U000e0100\ue000"
)


@pytest.mark.req("Z10", "Z09")
@pytest.mark.parametrize("hidden", HIDING, ids=lambda c: f"U+{ord(c):04X}")
def test_what_cannot_be_seen_is_written_out(hidden: str) -> None:
    """Controls, bidi marks, joiners, fillers, odd blanks: each by its number, in its place."""
    assert visible(f"rm{hidden}x") == f"rm<U+{ord(hidden):04X}>x"


@pytest.mark.req("Z10")
def test_an_escape_cannot_be_forged() -> None:
    """A text that holds what looks like an escape differs from a text that has one."""
    assert visible("a<U+202E>b") == "a<U+003C>U+202E>b"
    assert visible("a\u202eb") == "a<U+202E>b"
    assert visible("a < b <b> U+1") == "a < b <b> U+1"


@pytest.mark.req("Z10")
@given(st.text())
def test_every_text_comes_out_printable_and_none_like_another(text: str) -> None:
    """Nothing is lost: the text can be had back from what is shown."""
    shown = visible(text)
    back, rest = "", shown
    while rest:
        if rest.startswith("<U+"):
            number, _, rest = rest[3:].partition(">")
            back += chr(int(number, 16))
        else:
            back, rest = back + rest[0], rest[1:]

    assert back == text
    assert all(c == " " or unicodedata.category(c)[0] not in "CZ" for c in shown)


def test_lines_end_only_at_newlines() -> None:
    """A carriage return or a line separator does not begin a line."""
    assert visible_lines("a\nb\rc\u2028d") == ["a", "b<U+000D>c<U+2028>d"]


def test_letters_that_look_like_others_are_named() -> None:
    """A Cyrillic letter in a host's name is pointed out, once."""
    assert strange("curl ex\u0430mple.com \u0430") == ["\u0430 is U+0430 CYRILLIC SMALL LETTER A"]
    assert strange("curl example.com") == []
