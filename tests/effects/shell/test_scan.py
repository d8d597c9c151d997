"""Laws of words: every way to quote the same characters is the same word."""

from __future__ import annotations

import shlex
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.shell.scan import MAX_DEPTH, Scanner
from interlock.effects.shell.syntax import (
    Expansion,
    Glob,
    Part,
    Sequence,
    ShellWord,
    StuckError,
    Substitution,
    Tilde,
    Variable,
)

VALUES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)


def escaped(value: str) -> str:
    """A backslash before every character; a line cannot be escaped so."""
    return "".join("'\n'" if character == "\n" else "\\" + character for character in value) or "''"


def doubled(value: str) -> str:
    """In double quotes."""
    return '"' + "".join("\\" + c if c in '\\"$`' else c for c in value) + '"'


def coded(value: str) -> str:
    """In `$'…'`, with numbers wherever there are some."""
    return "$'" + "".join(f"\\x{ord(c):02x}" if c.isascii() else c for c in value) + "'"


def mixed(value: str) -> str:
    """Another quote for every character."""
    ways = (shlex.quote, doubled, escaped, coded)
    return "".join(ways[at % len(ways)](character) for at, character in enumerate(value)) or '""'


def nothing_inside(scanner: Scanner) -> Sequence:
    """Stands for the grammar: moves to the next `)`."""
    end = scanner.text.find(")", scanner.position)
    scanner.position = end if end >= 0 else len(scanner.text)
    return Sequence(())


def word(text: str, start: int = 0) -> ShellWord:
    """The first word of a text."""
    found = Scanner(text, nothing_inside, start).word()
    assert found is not None
    return found


def parts(text: str) -> tuple[Part, ...]:
    """The parts of the first word."""
    return word(text).parts or ()


def refusal(text: str) -> StuckError:
    """Why a text is not a word."""
    with pytest.raises(StuckError) as caught:
        Scanner(text, nothing_inside).word()
    return caught.value


@pytest.mark.req("case:C11")
@given(VALUES, st.sampled_from([shlex.quote, doubled, escaped, mixed]))
def test_quoting_is_transparent(value: str, quoted: object) -> None:
    """Single quotes, double quotes, escapes and any mixture of them give the same settled word."""
    assert callable(quoted)
    spelling = quoted(value)

    found = word(spelling)

    assert (found.text, found.parts, found.end) == (value, None, len(spelling))


@pytest.mark.req("case:C11")
@given(st.text(st.characters(min_codepoint=1, max_codepoint=127), max_size=8))
def test_characters_by_their_numbers_are_these_characters(value: str) -> None:
    r"""`$'\x72m'` is `rm`."""
    assert (word(coded(value)).text, word(coded(value)).parts) == (value, None)


@given(st.lists(VALUES.map(mixed), min_size=1, max_size=4), st.sampled_from(list(" \t\n;&|<>()")))
def test_a_word_ends_where_a_delimiter_stands(pieces: list[str], delimiter: str) -> None:
    """No quoted delimiter ends a word, every unquoted one does."""
    spelling = "".join(pieces)

    assert word(f"{spelling}{delimiter} rest").end == len(spelling)


@given(VALUES)
def test_a_word_is_found_anywhere(before: str) -> None:
    """The place of a word is that in the whole text."""
    found = word(f"{before}a'b'", len(before))

    assert (found.text, found.start, found.end) == ("ab", len(before), len(before) + 4)


@pytest.mark.req("case:C18")
@pytest.mark.parametrize("blank", list("\x0b\x0c\r\x85\u00a0\u2003\u2028"))
def test_a_blank_that_is_no_space_separates_nothing(blank: str) -> None:
    """What only looks like a space is neither part of a plain word nor a gap between two."""
    scanner = Scanner(f"a{blank}b", nothing_inside)

    with pytest.raises(StuckError):
        all(scanner.word() for _ in range(2))
    assert word(f"'a{blank}b'").text == f"a{blank}b"


@pytest.mark.req("case:C20")
@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("ab'c", 2),
        ('ab"c', 2),
        ("ab$'c", 2),
        ("ab`c", 2),
        ("ab$(c", 2),
        ("ab<(c", 2),
        ("ab\\", 2),
        ('"$(a', 1),
    ],
)
def test_what_is_not_closed_is_refused_where_it_opens(text: str, position: int) -> None:
    """The place named is that of the opening sign."""
    assert refusal(text).position == position


@pytest.mark.parametrize(
    "text", ["${x", "${x:-a", "$[1+1]", "${x@Z}", "${}", "${x;y}", '"${x:-\'a}"', "$((a b))"]
)
def test_an_expansion_that_is_not_understood_is_refused(text: str) -> None:
    """What shells disagree about, or what is not finished, is not a word."""
    assert refusal(text).why


@pytest.mark.parametrize("sign", ["*", "?", "[ab]"])
def test_only_an_unquoted_sign_is_a_glob(sign: str) -> None:
    """Quotes and escapes make it a character like any other."""
    assert any(isinstance(part, Glob) for part in parts(f"a{sign}b"))
    for quoted in (f"'{sign}'", f'"{sign}"', "\\" + sign):
        assert word(f"a{quoted}b").parts is None


@pytest.mark.parametrize("text", ["~", "~/x", "~ann/x"])
def test_a_tilde_means_a_home_only_where_a_word_begins(text: str) -> None:
    """In the middle, or quoted, it is a character."""
    assert isinstance(parts(text)[0], Tilde)
    assert word(f"a{text}").parts is None
    assert word(f"'{text}'").parts is None


@pytest.mark.req("C02")
@pytest.mark.parametrize("text", ["$(a)", "`a`", '"$(a)"', '"`a`"', "<(a)", ">(a)", "x$(a)y"])
def test_every_kind_of_substitution_is_found(text: str) -> None:
    """Inside and outside of quotes, with the text it stands for."""
    found = [part for part in parts(text) if isinstance(part, Substitution)]

    assert len(found) == 1
    assert found[0].written in text
    assert found[0].quoted is ('"' in text)
    assert found[0].process is (text[0] in "<>")


@pytest.mark.req("C02")
@pytest.mark.parametrize("text", ["${a:-$(b)}", '"${a:=$(b)}"', "$((a[$(b)]))", "${a[$(b)]}", "${a/$(b)/c}"])
def test_a_substitution_inside_an_expansion_is_kept(text: str) -> None:
    """An expansion holds the words that stand in it."""
    found = next(part for part in parts(text) if isinstance(part, Expansion))

    assert any(isinstance(part, Substitution) for part in found.parts)


@pytest.mark.req("C03")
def test_an_expansion_says_what_it_may_do() -> None:
    """Assigning, counting and hiding are told apart from only looking."""
    told = {
        text: part for text in ("${v:=a}", "${v-a}", "${v@P}", "${!v}", "$((v+1))") for part in parts(text)
    }
    found = {text: part for text, part in told.items() if isinstance(part, Expansion)}

    assert [text for text, part in found.items() if part.assigns] == ["${v:=a}"]
    assert [text for text, part in found.items() if part.hides] == ["${v@P}", "${!v}"]
    assert [text for text, part in found.items() if part.counts] == ["$((v+1))"]


@pytest.mark.parametrize(
    ("text", "name"), [("$ab", "ab"), ("${ab}", "ab"), ("$1", "1"), ("$12", "1"), ("$@", "@")]
)
def test_a_variable_is_known_by_its_name(text: str, name: str) -> None:
    """Braces change nothing; a parameter without them has one digit."""
    found = parts(text)[0]

    assert isinstance(found, Variable)
    assert found.name == name


@pytest.mark.req("case:C17")
def test_depth_is_limited() -> None:
    """One more than the deepest is refused as a limit, not as a mistake."""
    assert Scanner("$(a)", nothing_inside, depth=MAX_DEPTH - 1).word() is not None

    with pytest.raises(StuckError) as caught:
        Scanner("$(a)", nothing_inside, depth=MAX_DEPTH).word()
    assert caught.value.limit


@given(st.text("ab'\"\\$`(){}[]<>*?~#!@:-=+1 \n\t|&;"))
def test_a_word_is_read_or_refused(text: str) -> None:
    """No text makes the scanner do anything else, and a word lies within the text."""
    scanner = Scanner(text, nothing_inside)
    with suppress(StuckError):
        found = scanner.word()
        assert found is None or found.start == 0 < found.end == scanner.position <= len(text)
