"""Text for a terminal."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.output import colours, columns, printable, screen_width


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.req("Z09")
@given(st.text(alphabet=st.characters()))
def test_what_is_shown_is_one_line_and_cannot_steer_a_terminal(text: str) -> None:
    """Whatever comes in, no control, format or separator character comes out."""
    shown = printable(text)

    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert not set(shown) & set("\x00\x07\x08\x1b\x7f\x9b\r\n\u200b\u200f\u202e\u2066\u2028\ufeff")


@pytest.mark.parametrize("text", ["plain", "naïve", "日本語", "🎉", "a\u00a0b", "C:\\x"])
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    """People's languages stay readable."""
    assert printable(text) == text


def test_colour_is_for_terminals_whose_owner_did_not_refuse_it() -> None:
    """A pipe gets none; NO_COLOR counts when it is not empty."""
    assert colours(Screen(), {})
    assert colours(Screen(), {"NO_COLOR": ""})
    assert not colours(Screen(), {"NO_COLOR": "1"})
    assert not colours(io.StringIO(), {})


def test_columns_are_aligned_and_end_without_spaces() -> None:
    """Each column is as wide as its widest cell, the last one is not padded."""
    assert columns([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc  d"]
    assert columns([]) == []


def test_a_table_fits_the_screen_where_its_columns_may_give_way() -> None:
    """The widest gives way first, none below what it must keep, and what may not be cut stands whole."""
    rows = [["id", "what", "why"], ["ap_1", "npm publish --tag next", "what is published stays"]]
    wide = columns(rows)[1]

    assert columns(rows, cut={1: 8, 2: 8}, width=len(wide))[1] == wide
    assert columns(rows, cut={1: 8, 2: 8}, width=40)[1] == "ap_1  npm publish --t…  what is publish…"
    assert columns(rows, cut={1: 8, 2: 8}, width=10)[1] == "ap_1  npm pub…  what is…"
    assert columns(rows, width=10)[1] == wide
    assert columns([], cut={1: 8}, width=10) == []


def test_only_a_terminal_has_a_width() -> None:
    """A file or a pipe is told everything."""
    assert screen_width(io.StringIO()) is None
    assert screen_width(Screen()) is not None
