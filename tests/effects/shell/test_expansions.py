r"""Laws of `$'…'`: its value is what bash makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effects.shell.bash import arguments

from interlock.effects.shell.expansions import decode_ansi_c

PLAIN = st.sampled_from(["a", " ", '"', "é", "$x", "`", "\n", "{", "*"])
CODED = st.sampled_from(
    [
        *(r"\x41", r"\x4", r"\x7f", r"\101", r"\7", r"\60", r"\u41", r"\u00e9", r"\u20AC", r"\U0001F600"),
        *(r"\a", r"\b", r"\e", r"\E", r"\f", r"\n", r"\r", r"\t", r"\v", r"\\", r"\'", r"\"", r"\?"),
        *(r"\cA", r"\ca", r"\c[", r"\c_", r"\q", r"\z", r"\8", r"\ "),
    ]
)
QUOTES = st.lists(PLAIN | CODED, max_size=5).map("".join)


@pytest.mark.deep
@pytest.mark.req("case:C11")
@settings(max_examples=60, deadline=None)
@given(st.lists(QUOTES, min_size=1, max_size=25))
def test_the_value_is_that_of_bash(contents: list[str]) -> None:
    """Letters, numbers of every base, control characters and what means nothing."""
    real = arguments([f"$'{content}'" for content in contents])

    assert [[decode_ansi_c(content + "'", 0)[0]] for content in contents] == real


@pytest.mark.deep
@pytest.mark.req("case:C11")
@pytest.mark.parametrize("end", [r"\0", r"\x0", r"\u0", r"\c@", r"\400"])
def test_a_zero_ends_the_value(end: str) -> None:
    """What follows it is gone, as in bash."""
    content = f"ab{end}'cd"

    assert decode_ansi_c(f"ab{end}z'", 0)[0] == "ab"
    assert arguments([f"$'ab{end}z'"]) == [["ab"]]
    assert decode_ansi_c(content, 0) == ("ab", len(f"ab{end}'"))


@given(QUOTES, st.text(max_size=5))
def test_the_quote_ends_at_the_first_plain_quote(content: str, after: str) -> None:
    """An escaped quote does not end it, and nothing behind it is looked at."""
    assert decode_ansi_c(f"$'{content}'{after}", 2) == decode_ansi_c(f"$'{content}'", 2)
    assert decode_ansi_c(f"$'{content}'", 2)[1] == len(content) + 3


@given(QUOTES)
def test_a_quote_without_an_end_has_no_value(content: str) -> None:
    """Said by the place -1."""
    assert decode_ansi_c(content, 0)[1] == -1


def test_bytes_make_characters() -> None:
    """Two numbers that are one character in UTF-8 are this character."""
    assert decode_ansi_c(r"\xc3\xa9'", 0)[0] == "é"


@pytest.mark.parametrize(
    "content", [r"\xc3\xa9é", r"\xc3\xa9€", r"é\303\251", r"\u00e9\xc3\xa9", r"\xc3", r"\xff\xfe", r"\c?"]
)
def test_bytes_that_depend_on_the_settings_have_no_value(content: str) -> None:
    """Beside other letters, or when they are not UTF-8, it is the locale that decides what they are."""
    assert decode_ansi_c(content + "'", 0) == ("", -1)


@pytest.mark.deep
@pytest.mark.parametrize("content", [r"é\x41", r"\x41\u00e9", r"\101€", "\x80", "é"])
def test_letters_beside_plain_bytes_are_themselves(content: str) -> None:
    """A byte of ASCII is the same letter in every locale."""
    assert [[decode_ansi_c(content + "'", 0)[0]]] == arguments([f"$'{content}'"])
