"""`interlock hooks test-pattern`."""

from __future__ import annotations

import pytest
from tests.cli.typed import Interlock, typed_for_real


@pytest.mark.req("M47")
@pytest.mark.parametrize(
    ("pattern", "tool", "args"),
    [
        ("Bash(git *)", "Bash", "git commit -m test"),
        ("Bash(rm -rf *)", "Bash", "rm -rf /"),
        ("Write(src/*)", "Write", "src/components/Button.tsx"),
    ],
)
def test_the_documented_patterns_match(interlock: Interlock, pattern: str, tool: str, args: str) -> None:
    """The three verification commands print `match` and nothing else."""
    typed = interlock("hooks", "test-pattern", pattern, tool, args)

    assert (typed.code, typed.out, typed.err) == (0, "match\n", "")


@pytest.mark.deep
@pytest.mark.req("M47")
def test_the_installed_script_answers_as_documented() -> None:
    """The verification command works as a person would type it."""
    typed = typed_for_real("hooks", "test-pattern", "Bash(git *)", "Bash", "git commit -m test")

    assert (typed.code, typed.out) == (0, "match\n")


@pytest.mark.req("M47")
@pytest.mark.parametrize(
    ("pattern", "tool", "args"),
    [
        ("Bash(git *)", "Bash", "npm test"),
        ("Bash(git *)", "Write", "git status"),
        ("Write(src/*)", "Write", "tests/x.py"),
        ("bash(git *)", "Bash", "git status"),
    ],
)
def test_what_does_not_match_is_exit_1(interlock: Interlock, pattern: str, tool: str, args: str) -> None:
    """A pattern that does not match says so in words and in the exit code."""
    typed = interlock("hooks", "test-pattern", pattern, tool, args)

    assert (typed.code, typed.out) == (1, "no match\n")


@pytest.mark.req("M16")
@pytest.mark.parametrize("pattern", ["Bash(", "Bash()", "Bash,Write", "Bash(x) y", "Bash(nope:x)", "/[/"])
def test_a_pattern_that_cannot_be_read_is_exit_2(interlock: Interlock, pattern: str) -> None:
    """A mistake in the pattern is told apart from a pattern that does not match, and quoted."""
    typed = interlock("hooks", "test-pattern", pattern, "Bash", "ls")

    assert (typed.code, typed.out) == (2, "")
    assert typed.err.startswith("interlock: `")
    assert typed.err.count("\n") == 1


def test_an_allow_needs_every_part_of_a_command(interlock: Interlock) -> None:
    """One command hidden behind another is enough for a deny and too much for an allow."""
    words = ("hooks", "test-pattern", "Bash(git *)", "Bash", "git status && rm x")

    assert interlock(*words).out == "match\n"
    assert interlock(*words, "--as", "deny").out == "match\n"
    assert (interlock(*words, "--as", "allow").code, interlock(*words, "--as", "allow").out) == (
        1,
        "no match\n",
    )


def test_an_allow_of_unread_text_says_why_it_does_not_match(interlock: Interlock) -> None:
    """A person sees on stderr that the text, not the pattern, is in the way."""
    typed = interlock("hooks", "test-pattern", "Bash(git *)", "Bash", "git ${x@P}", "--as", "allow")

    assert (typed.code, typed.out) == (1, "no match\n")
    assert "cannot read" in typed.err


def test_the_result_as_json_keeps_the_exit_code(interlock: Interlock) -> None:
    """A script reads the result as JSON and may still ask the exit code."""
    typed = interlock("hooks", "test-pattern", "Bash(git *)", "Bash", "ls", "--json")

    assert typed.code == 1
    assert typed.document["result"] == "no match"
    assert {"pattern", "tool", "as", "unread"} <= typed.document.keys()


def test_a_text_that_is_no_utf8_is_no_defect(interlock: Interlock) -> None:
    """Arguments are bytes; those that are not text are shown written out, in both forms."""
    bad = b"Bash(\xff)".decode("utf-8", "surrogateescape")

    assert interlock("hooks", "test-pattern", "Bash", "Bash", bad).out == "match\n"
    assert interlock("hooks", "test-pattern", "Bash", bad, bad, "--json").document["tool"] == bad
    assert interlock("hooks", "test-pattern", bad + "(", "Bash", "x").code == 2
