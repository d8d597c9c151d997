"""Laws of marks: they stand where a command does more than its name says, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.effects.shell.readings import command, read

from interlock.effects.command import MARKS, POWER_MARK, REDIRECT_MARK, unmarked
from interlock.effects.effect import Word
from interlock.effects.shell.context import TextSpan

WORDS = st.sampled_from(["a", "-b", "'c d'", '"e f"', "g\\ h", "$i", "{j,k}"])
WRITING = st.sampled_from([">f", ">> f", "2>f", "&>f", ">|f", ">&f", "1<>f", "> $f", '> "f g"'])
QUIET = st.sampled_from(
    ["2>&1", ">/dev/null", "2> /dev/null", ">&2", "<f", "<<< f", "2>&-", ">/dev/stderr", "<&3"]
)


@pytest.mark.req("case:C15")
@given(st.lists(WORDS, max_size=4), st.lists(WRITING | QUIET, max_size=3), st.randoms())
def test_every_redirect_that_writes_is_marked_in_its_place(
    words: list[str], redirects: list[str], order: object
) -> None:
    """As many marks as files written, each in the place of a `>`."""
    pieces = [*words, *redirects]
    getattr(order, "shuffle")(pieces)  # noqa: B009 - hypothesis gives no better type
    text = " ".join(["p", *pieces])

    found = command(text, "p")

    assert unmarked(found.marked) == text == found.written
    writing = [redirect for redirect in redirects if redirect not in _QUIET]
    assert found.marked.count(REDIRECT_MARK) == len(writing) == len(found.writes)
    for at, character in enumerate(found.marked):
        assert character != REDIRECT_MARK or text[at] == ">"


_QUIET = {"2>&1", ">/dev/null", "2> /dev/null", ">&2", "<f", "<<< f", "2>&-", ">/dev/stderr", "<&3"}


@given(st.lists(WORDS, max_size=4), st.lists(WRITING | QUIET, max_size=3))
def test_without_its_redirects_only_the_words_stay(words: list[str], redirects: list[str]) -> None:
    """The same command as if they had never been written."""
    plain = " ".join(["p", *words])

    found = command(" ".join([plain, *redirects]), "p")
    assert " ".join(found.unredirected.split(" ")).rstrip() == plain


@pytest.mark.req("C07", "case:C14")
@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("find . -delete", ["-delete"]),
        ("find . -name '*.py' -exec ls {} +", ["-exec"]),
        ("find . -fprintf f x", ["-fprintf"]),
        ("git -c core.pager=x log", ["-c"]),
        ("sort -o f g", ["-o"]),
        ("tar --to-command=x -xf a", ["--to-command=x"]),
        ("sed -i s/a/b/ f", ["-i"]),
        ("find . -name x", []),
        ("git log -c", []),
        ("ls -la", []),
        ("echo -delete", []),
    ],
)
def test_every_option_that_is_a_power_is_marked(text: str, powers: list[str]) -> None:
    """Right before its word, and no other word is."""
    marked = read(text).commands[0].marked

    assert [word[1:] for word in marked.split(" ") if word.startswith(POWER_MARK)] == powers
    assert unmarked(marked) == text
    assert len(MARKS.findall(marked)) == len(powers)


def test_a_power_stays_without_redirects() -> None:
    """Leaving a redirect out does not make the rest weaker."""
    found = command("find . -delete > out", "find")

    assert found.marked == f"find . {POWER_MARK}-delete {REDIRECT_MARK} out"
    assert found.unredirected == f"find . {POWER_MARK}-delete"


def test_a_power_in_words_that_braces_made_is_marked() -> None:
    """Before the whole, since the word has no place of its own."""
    assert read("find {.,-delete}").commands[0].marked == POWER_MARK + "find {.,-delete}"


@pytest.mark.req("C08")
def test_a_wrapped_command_stands_where_it_is_written() -> None:
    """Its text is the part of the whole that it is."""
    found = [c.written for c in read("sudo -u x timeout 5 'rm' -rf \"a b\" 2>&1").commands]

    assert found[1:] == ["timeout 5 'rm' -rf \"a b\"", "'rm' -rf \"a b\""]


@pytest.mark.req("case:C18")
def test_joined_lines_are_joined_in_every_text() -> None:
    """As written, marked and without redirects."""
    found = command("rm \\\n-rf x \\\n> f", "rm")

    assert (found.written, found.unredirected) == ("rm -rf x > f", "rm -rf x")
    assert found.marked == f"rm -rf x {REDIRECT_MARK} f"


def test_a_command_that_has_no_place_stands_by_its_own_text() -> None:
    """A wrapper whose words came from elsewhere gives its command's words."""
    place = TextSpan("x", 0, 1, None).inner(0, (Word("rm"), Word("a")))

    assert (place.written, place.marked((1,))) == ("rm a", (POWER_MARK + "rm a", POWER_MARK + "rm a"))
