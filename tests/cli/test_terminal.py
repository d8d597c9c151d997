"""Text for a terminal."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from interlock.cli.output import colours, columns, printable, screen_width, table


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


_ROWS = [["ap_1", "pending", "npm publish --tag next", "what is published stays"]]
_HEAD = ("id", "state", "what", "why")


def test_a_table_fits_the_screen_where_its_columns_may_give_way() -> None:
    """The widest gives way first, none below what it must keep, and a cell that is cut says so."""
    cut = {2: 8, 3: 8}
    wide = table(_HEAD, _ROWS, cut=cut, width=100)

    assert wide == ["ID    STATE    WHAT                    WHY", "  ".join(_ROWS[0])]
    assert table(_HEAD, _ROWS, cut=cut, width=len(wide[1])) == wide
    assert table(_HEAD, _ROWS, cut=cut, width=50)[1] == "ap_1  pending  npm publish --…  what is published…"
    assert table(_HEAD, [], cut=cut, width=50) == ["ID  STATE  WHAT  WHY"]


@given(st.lists(st.text(alphabet=st.characters(), max_size=60), min_size=1, max_size=4), st.integers(20, 200))
def test_no_line_of_a_table_is_wider_than_the_screen(cells: list[str], width: int) -> None:
    """Whatever the cells hold, also letters that take two columns; each row stays one line."""
    rows = [["1", *cells]]
    lines = table(
        ["n", *(f"c{i}" for i in range(len(cells)))], rows, cut=dict.fromkeys(range(1, 9), 2), width=width
    )

    assert len(lines) == 2
    assert max(map(cell_len, lines)) <= width


def test_the_text_of_a_wrapping_column_goes_on_below_itself() -> None:
    """Nothing of it is lost."""
    lines = table(
        ("type", "about"), [["nudge", "Suggests the agent or skill a prompt asks for."]], wrap=1, width=30
    )

    assert lines == [
        "TYPE   ABOUT",
        "nudge  Suggests the agent or",
        "       skill a prompt asks",
        "       for.",
    ]


def test_a_pipe_gets_all_of_a_table_and_no_colours() -> None:
    """Scripts and agents read every word."""
    assert table(_HEAD, _ROWS, cut={2: 2, 3: 2}) == [
        "ID    STATE    WHAT                    WHY",
        "ap_1  pending  npm publish --tag next  what is published stays",
    ]


def test_decisions_and_states_have_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only in a column of them; and none with NO_COLOR."""
    monkeypatch.setattr("sys.stdout", Screen())
    monkeypatch.delenv("NO_COLOR", raising=False)
    rows = [["deny", "deny"], ["ask", "ask"], ["allow", "allow"]]
    lines = table(("decision", "call"), rows, width=40)[1:]

    assert [line.replace(" ", "") for line in lines] == [
        "\x1b[1;31mdeny\x1b[0mdeny",
        "\x1b[33mask\x1b[0mask",
        "\x1b[32mallow\x1b[0mallow",
    ]
    monkeypatch.setenv("NO_COLOR", "1")
    assert table(("decision", "call"), rows, width=40)[1] == "deny      deny"


def test_only_a_terminal_has_a_width() -> None:
    """A file or a pipe is told everything."""
    assert screen_width(io.StringIO()) is None
    assert screen_width(Screen()) is not None
