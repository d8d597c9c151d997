"""Reading patterns."""

from __future__ import annotations

import pytest

from interlock.errors import PatternError
from interlock.events.hook import PatternList
from interlock.patterns.matcher import parse_pattern


@pytest.mark.req("M10", "M25", "M26")
@pytest.mark.parametrize(
    ("text", "tool", "field", "glob"),
    [
        ("Bash", "Bash", None, None),
        ("Bash(*)", "Bash", None, None),
        ("Bash(git *)", "Bash", None, "git *"),
        ("Bash(command:git *)", "Bash", None, "git *"),
        ("Bash(description:*x*)", "Bash", "description", "*x*"),
        ("WebFetch(https://a.example/*)", "WebFetch", None, "https://a.example/*"),
        ("Task(executor)", "Agent", None, "executor"),
        ("mentu_commit(*)", "mcp__interlock__commit", None, None),
        ("mcp__x-y__z(a:b)", "mcp__x-y__z", "a", "b"),
        ("Bash(echo (a) b)", "Bash", None, "echo (a) b"),
        ("Bash(a\nb)", "Bash", None, "a\nb"),
    ],
)
def test_a_pattern_is_a_tool_and_perhaps_a_glob(
    text: str, tool: str, field: str | None, glob: str | None
) -> None:
    """The text is kept for reasons; the tool has its canonical name."""
    pattern = parse_pattern(text)

    assert (pattern.text, pattern.tool, pattern.field, pattern.glob) == (text, tool, field, glob)


@pytest.mark.req("M25", "M30")
@pytest.mark.parametrize(
    "text", ["", " ", "*", "Bash()", "Bash(", "Bash)", "(git *)", "Ba sh", "Write|Edit", "Bash(x) ", "9x"]
)
def test_what_is_no_pattern_is_an_error(text: str) -> None:
    """A rule that could never match does not load silently."""
    with pytest.raises(PatternError):
        parse_pattern(text)


def test_a_prefix_in_the_style_of_another_tool_gets_the_right_words() -> None:
    """The error says what to write instead."""
    with pytest.raises(
        PatternError, match=r"`git` is not a field of Bash .*; for a prefix write `Bash\(git \*\)`"
    ):
        parse_pattern("Bash(git:*)")


def test_a_misspelt_field_gets_the_nearest() -> None:
    """Fields of tools the table lists are checked."""
    with pytest.raises(PatternError, match=r"did you mean `Bash\(description:x\)`"):
        parse_pattern("Bash(descripton:x)")


@pytest.mark.req("M25")
@pytest.mark.parametrize(
    ("text", "tool", "glob"),
    [
        ("write(src/**)", "write", "src/**"),
        ("network(*.example.com)", "network", "*.example.com"),
        ("run(git)", "run", "git"),
        ("env(*)", "env", None),
        ("delete", "delete", None),
        ("read(**)", "read", None),
    ],
)
def test_an_effect_is_named_like_a_tool(text: str, tool: str, glob: str | None) -> None:
    """What a call does may stand where a tool stands."""
    pattern = parse_pattern(text)

    assert (pattern.text, pattern.tool, pattern.glob, pattern.effect) == (text, tool, glob, True)


def test_only_the_six_effects_are_effects() -> None:
    """Other names stay tools that the table does not list."""
    assert not any(parse_pattern(text).effect for text in ("writes(x)", "Write(x)", "execute(x)", "Read"))


@pytest.mark.parametrize("text", ["write()", "write(path:x)", "network(localhost:80)"])
def test_an_effect_has_no_fields(text: str) -> None:
    """The error says what to write."""
    with pytest.raises(PatternError, match=r"is not an effect; write `(write|network)\(glob\)`"):
        parse_pattern(text)


@pytest.mark.parametrize("mark", ["\ue000", "\ue001"])
def test_the_private_marks_are_no_part_of_a_pattern(mark: str) -> None:
    """They stand for what a pattern does not cover."""
    with pytest.raises(PatternError, match=r"private character U\+E00"):
        parse_pattern(f"Bash(echo {mark}*)")


def test_a_pattern_has_a_length() -> None:
    """Four thousand characters are enough for anybody's rule."""
    parse_pattern("Bash(" + "x" * 4_000 + ")")
    with pytest.raises(PatternError, match="the limit is 4096"):
        parse_pattern("Bash(" + "x" * 5_000 + ")")


def test_of_several_hits_the_one_written_first_is_named() -> None:
    """Also when the same pattern stands in the list twice."""
    found = PatternList([parse_pattern(text) for text in ("Bash(a)", "Bash(b)", "Bash(a)")])

    assert found.first({"Bash(b)", "Bash(a)", "Bash(z)"}) is found.patterns[0]
    assert found.first({"Bash(z)"}) is None
