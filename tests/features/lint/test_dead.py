"""Rules that can never match."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.lint.linted import codes, hooks, linted, lists

from interlock.features.lint.policy_files import Code, Weight


@pytest.mark.req("T06")
@pytest.mark.parametrize(
    ("matcher", "cure"),
    [
        ("bash(rm *)", "did you mean `Bash`?"),
        ("Bahs(rm *)", "did you mean `Bash`?"),
        ("Wirte", "did you mean `Write`?"),
        ("writ(src/*)", "did you mean `write`?"),
        ("netwrok(*)", "did you mean `network`?"),
        ("unraed(open)", "did you mean `unread`?"),
        ("run(rm -rf *)", "write `Bash(rm -rf *)`"),
        ("network(https://example.com/*)", "write `network(example.com)`"),
    ],
)
def test_a_rule_that_can_never_match_is_an_error_with_the_right_word(
    tmp_path: Path, matcher: str, cure: str
) -> None:
    """A misspelt tool or effect, or a glob that its effect never has, is told with its cure."""
    (finding,) = linted(tmp_path, hooks(f'{{name: x, type: deny, matcher: "{matcher}"}}'))

    assert (finding.code, finding.weight, finding.line, finding.rule) == (Code.DEAD, Weight.ERROR, 4, "x")
    assert finding.cure == cure


@pytest.mark.parametrize("matcher", ["Deploy(prod)", "Frob*", "/^frob/"])
def test_a_tool_nobody_knows_is_a_warning(tmp_path: Path, matcher: str) -> None:
    """An agent may have tools of its own."""
    (finding,) = linted(tmp_path, hooks(f'{{name: x, type: deny, matcher: "{matcher}"}}'))

    assert (finding.code, finding.weight) == (Code.UNKNOWN_TOOL, Weight.WARNING)


@pytest.mark.parametrize(
    "matcher",
    [
        "Bash(rm -rf *)",
        "Write(src/*)|Edit(src/*)",
        "mcp__github__*",
        "/^mcp__.*delete/",
        "mentu_close(*)",
        "/Write/",
        "Mul*",
        "write(.env*)",
        "run(rm)",
        "unread(open)",
        "network(*.example.com)",
        "env(PATH)",
        "env(PAGER=/*)",
        "env(LD_PRELOAD !LD_PRELOAD=)",
        "Write(docs/)",
        "Read(~/.ssh/**)",
        "Task(executor)",
        'Bash(git commit -m "*)',
        "*",
    ],
)
def test_a_rule_that_works_is_not_called_dead(tmp_path: Path, matcher: str) -> None:
    """Every way to write a matcher that meets calls is left alone."""
    findings = linted(tmp_path, hooks(f"{{name: x, type: ask, matcher: '{matcher}'}}"))

    assert codes(findings) == []


@pytest.mark.req("T06")
@pytest.mark.parametrize(
    ("pattern", "because"),
    [
        ("Bash(echo * && ls)", "each simple command on its own"),
        ("Bash(cat * | grep x)", "each simple command on its own"),
        ("Bash(timeout 5 *)", "is compared with what the wrapper runs"),
        ("Bash(python -c *)", "no command that Interlock cannot read"),
        ("bash(ls)", "a tool that no known host has"),
        ("run(git status)", "a program's name"),
        ("env(PATH=*)", "without its value"),
    ],
)
def test_an_allow_that_never_allows_says_why(tmp_path: Path, pattern: str, because: str) -> None:
    """A chain, a wrapper and unread text are never covered by an allow."""
    (finding,) = linted(tmp_path, lists(allow=(pattern,)))

    assert (finding.code, finding.weight) == (Code.DEAD, Weight.ERROR)
    assert because in finding.message


@pytest.mark.parametrize(
    "pattern", ["Bash(npm test *)", "Bash(echo * > *)", "write(docs/**)", "Edit(src/*)", 'Bash(echo "*")']
)
def test_an_allow_that_works_is_left_alone(tmp_path: Path, pattern: str) -> None:
    """What lets some call pass is not dead."""
    assert codes(linted(tmp_path, lists(allow=(pattern,)))) == []


def test_a_denied_chain_holds_for_one_spelling(tmp_path: Path) -> None:
    """A deny of a chain is compared as a text, and says so."""
    (finding,) = linted(tmp_path, hooks('{name: x, type: deny, matcher: "Bash(curl * | sh)"}'))

    assert (finding.code, finding.weight) == (Code.SPELLING, Weight.WARNING)


def test_an_entry_the_enforcement_is_never_asked_about_is_dead(tmp_path: Path) -> None:
    """A list speaks only of what its enforcement's matcher lets it see."""
    text = hooks('{name: lists, type: genesis_enforcement, matcher: "Write|Edit"}')
    findings = linted(tmp_path, text + lists(allow=("Write(src/*)", "Bash(npm test *)")))

    (finding,) = findings
    assert (finding.code, finding.line) == (Code.DEAD, 10)
    assert "only asked about `Write|Edit`" in finding.message
