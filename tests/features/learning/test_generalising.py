"""Laws of proposing patterns from what was approved."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.builders import bash

from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.reading import read_call
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.requests import Call
from interlock.features.learning.history import ApprovedCall, Evidence
from interlock.features.learning.suggest import find_obstacle, propose
from interlock.patterns.covered_call import covered
from interlock.patterns.matcher import parse_pattern

FOLDER = "/w/app"


def approved(command: str, tool: str = "Bash", field: str = "command") -> ApprovedCall:
    call = Call(cwd=FOLDER, event="PreToolUse", input={field: command}, tool=tool)
    return ApprovedCall(
        actor="agent:main", call=call, project=FOLDER, evidence=Evidence(count=1, seqs=[1], by=["x"])
    )


def proposed(*commands: str, enough: int = 3) -> list[str]:
    fit = [call for call in map(approved, commands) if find_obstacle(call) is None]
    return [proposal.pattern for proposal in propose(fit, enough=enough)]


def test_a_command_is_proposed_as_it_was() -> None:
    """Whole, once, however often it was approved; of a chain, each command."""
    assert proposed("git push origin main", "git push origin main") == ["Bash(git push origin main)"]
    assert proposed("git add -A && git commit -m 'a b'") == ["Bash(git add -A)", "Bash(git commit -m 'a b')"]


def test_a_star_needs_enough_that_differ_in_one_operand() -> None:
    """Two are two; three are a pattern, as narrow as their names allow."""
    two = ["git push origin main", "git push origin dev"]

    assert proposed(*two) == [f"Bash({one})" for one in sorted(two)]
    assert proposed(*two, "git push origin next") == ["Bash(git push origin *)"]
    assert proposed(*(f"cat docs/page_{one}.md" for one in "abc")) == ["Bash(cat docs/page_*.md)"]
    assert proposed(*two, enough=2) == ["Bash(git push origin *)"]


@pytest.mark.parametrize(
    "commands",
    [
        ("git status", "git log", "git fetch"),
        ("ls -a", "ls -l", "ls -t"),
        ("make test", "make lint", "make deploy"),
        ("npm run a", "npm run b", "npm run c"),
        ("cat /etc/a", "cat /etc/b", "cat /etc/c"),
        ("cat ../a", "cat ../b", "cat ../c"),
        ("ssh a uptime", "ssh b uptime", "ssh c uptime"),
        ("frobnicate a", "frobnicate b", "frobnicate c"),
        ("git commit -m a", "git commit -m b", "git commit -m c"),
    ],
)
def test_no_star_for_program_subcommand_option_or_what_lies_outside(commands: tuple[str, ...]) -> None:
    """Whatever says what is run, or where, stays as it was."""
    assert not any("*" in pattern for pattern in proposed(*commands))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("python3 -c 'print(1)'", "cannot read"),
        ("curl -H [secret:bearer:0123456789abcdef] https://x.example", "secrets"),
        ("sudo rm -r build", "runs another"),
        ("sh -c 'rm -r build'", "runs another"),
        ("cat *.md", "depends"),
        ("git push origin $BRANCH", "depends"),
        ("echo 'a*'", "no pattern"),
        ("echo 'a\nb'", "no pattern"),
    ],
)
def test_what_is_not_proposed_says_why(command: str, said: str) -> None:
    """Unread, without its secrets, behind another command, or not to be said by a pattern."""
    assert said in (find_obstacle(approved(command)) or "")


_WORD = st.sampled_from(
    [
        *("git", "push", "origin", "main", "dev", "next", "--force", "-f", "rm", "-r", "build", "cat", "add"),
        *("a.md", "b.md", "c.md", "docs/a", "docs/b", "docs/c", "../x", "/etc/x", "~", "+main", "HEAD:x"),
        *("--", "-A", ".env"),
    ]
)
_COMMAND = st.one_of(
    st.lists(_WORD, min_size=1, max_size=5).map(" ".join),
    st.tuples(st.sampled_from(["git push origin", "cat", "rm", "git add", "rm -r"]), _WORD).map(" ".join),
)


def _kind(command: str) -> tuple[object, ...]:
    """Program, subcommand and options of a plain command."""
    event = Event(name="PreToolUse", cwd=FOLDER, tool=ToolCall(name="Bash", input={"command": command}))
    assert event.tool is not None
    (one,) = read_call(event.tool, STANDARD_TOOLS.spec("Bash"), FOLDER).commands[:1] or (None,)
    if one is None:
        return ()
    arguments = sort_arguments(one.words)
    flags = sorted(flag.name + (flag.value.text if flag.value else "") for flag in arguments.flags)
    return arguments.name, tuple(flags)


@pytest.mark.deep
@settings(max_examples=150, deadline=None)
@given(st.lists(_COMMAND, min_size=3, max_size=12), st.lists(_COMMAND, max_size=12))
@example(["git push origin git", "git push origin push", "git push origin .env"], [])  # none is hidden
def test_a_pattern_matches_only_what_has_program_subcommand_and_options_of_something_seen(
    seen: list[str], others: list[str]
) -> None:
    """Whatever else is tried: a new combination of program, subcommand and options is never covered."""
    fit = [command for command in seen if find_obstacle(approved(command)) is None]
    patterns = [parse_pattern(text) for text in proposed(*fit)]
    kinds = {_kind(command) for command in fit}
    for command in fit:
        assert covered(bash(command, cwd=FOLDER, project=FOLDER), patterns, STANDARD_TOOLS), command
    for command in others:
        if covered(bash(command, cwd=FOLDER, project=FOLDER), patterns, STANDARD_TOOLS):
            assert _kind(command) in kinds, (command, [pattern.text for pattern in patterns])


def test_files_are_proposed_by_name_and_then_by_folder() -> None:
    """Relative to the project, and never outside it."""
    inside = [approved(f"{FOLDER}/docs/{one}.md", "Write", "file_path") for one in "abc"]
    outside = [approved(f"/etc/{one}", "Write", "file_path") for one in "abc"]

    assert [one.pattern for one in propose(inside)] == ["Write(docs/*.md)"]
    assert [one.pattern for one in propose(inside[:2])] == ["Write(docs/a.md)", "Write(docs/b.md)"]
    assert [one.pattern for one in propose(outside)] == ["Write(/etc/a)", "Write(/etc/b)", "Write(/etc/c)"]
