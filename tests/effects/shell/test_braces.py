"""Laws of braces: the words they make are those of bash, or there are too many to say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effects.shell.bash import arguments

from interlock.effects.shell.expansions import brace_words
from interlock.effects.shell.syntax import Text, Variable

LETTERS = st.text("ab01.-", max_size=3)
NUMBERS = st.integers(-12, 12).map(str) | st.sampled_from(["01", "007", "-03"])
RANGES = st.tuples(NUMBERS, NUMBERS).map(lambda ends: "{" + "..".join(ends) + "}") | st.tuples(
    st.sampled_from("abcxyzABC"), st.sampled_from("abcxyzABC")
).map(lambda ends: "{" + "..".join(ends) + "}" if ends[0].islower() == ends[1].islower() else "{x,y}")
# In one pair of braces stand at least two words, so that no `}` closes what has no comma.
NESTED = st.recursive(
    LETTERS | RANGES,
    lambda inner: st.lists(st.lists(inner, max_size=2).map("".join), min_size=2, max_size=3).map(
        lambda words: "{" + ",".join(words) + "}"
    ),
    max_leaves=8,
)
WORDS = st.lists(NESTED, min_size=1, max_size=3).map(lambda pieces: "w" + "".join(pieces))


def expanded(word: str) -> list[str] | None:
    """The words of an unquoted word."""
    words = brace_words((Text(word),))
    return (
        None if words is None else ["".join(part.text for part in w if isinstance(part, Text)) for w in words]
    )


@pytest.mark.deep
@pytest.mark.req("case:C11")
@settings(max_examples=40, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=10))
def test_the_words_are_those_of_bash(words: list[str]) -> None:
    """Lists and ranges, nested and side by side."""
    few = [word for word in words if (found := expanded(word)) is not None and len(found) < 200]

    assert [expanded(word) for word in few] == arguments(few)


@pytest.mark.deep
@pytest.mark.parametrize("word", ["w{", "w}", "w{a", "w{a}", "w{}", "w,a", "w.a..", "w}{"])
def test_braces_without_a_comma_or_a_range_stay(word: str) -> None:
    """Nothing in the word could make several of it, as in bash."""
    assert [expanded(word)] == arguments([word])


@pytest.mark.req("case:C11")
@pytest.mark.parametrize(
    "word",
    [
        *("w{a..}", "w{a..bc}", "w{{a,b}", "w{a,b", "w{},}", "w{a},b}", "w{..{a,b}}", "w{a..{b,c}1}"),
        *("w{{a,b}},c}", "w}a,b{", "w{a}{b,c}", "w{b,c}{}"),
    ],
)
def test_irregular_braces_are_not_said(word: str) -> None:
    """Unbalanced, or neither a list nor a range beside one: shells look further in different ways."""
    assert expanded(word) is None


@pytest.mark.deep
@pytest.mark.req("case:C11")
@given(st.text("ab{},.19-", max_size=14))
def test_words_that_are_said_are_those_of_bash(word: str) -> None:
    """However odd the braces are."""
    said = expanded(f"w{word}")

    assert said is None or [said] == arguments([f"w{word}"])


@pytest.mark.req("case:C11")
def test_letters_that_braces_bring_to_a_name_are_not_said() -> None:
    """`$x{a,b}` is `$xa $xb`; a name in braces or quotes, or a sign behind it, keeps it as it is."""
    name, braced, quoted = Variable("x", "$x", False), Variable("x", "${x}", False), Variable("x", "$x", True)

    assert brace_words((name, Text("{a,b}"))) is None
    assert brace_words((Text("{a,"), name, Text("}{1..2}"))) is None
    assert brace_words((name, Text("{/a,-b}"))) == [(name, Text("/a")), (name, Text("-b"))]
    assert len(brace_words((braced, Text("{a,b}"))) or ()) == 2
    assert len(brace_words((quoted, Text("{a,b}"))) or ()) == 2


@given(st.text("ab{},.19-", max_size=14))
def test_every_word_has_an_answer(word: str) -> None:
    """Some words, or none when they are too many."""
    assert expanded(word) != []


@given(st.text("ab{},.19-", max_size=14))
def test_quoted_braces_are_characters(word: str) -> None:
    """Whatever they hold, the word stays one."""
    assert brace_words((Text(word, quoted=True),)) == [(Text(word, quoted=True),)]
    assert len(brace_words((Text("{a"), Text(",", quoted=True), Text("b}"))) or []) == 1


def test_a_quoted_part_keeps_its_place() -> None:
    """Braces around it give it to each word that holds it."""
    held = Text("{x,y}", quoted=True)

    assert brace_words((Text("a{b"), held, Text(",c}d"))) == [(Text("ab"), held, Text("d")), (Text("acd"),)]


@pytest.mark.req("case:C17")
@pytest.mark.parametrize(
    "word", ["{1..999999}", "{a,b}" * 20, "{1..400}{1..400}", "{{1..300},{1..300}}", "{1..9..2}"]
)
def test_too_many_words_are_not_said(word: str) -> None:
    """Nor are steps, which shells count differently."""
    assert expanded(word) is None
