"""Which tools a matcher means."""

from __future__ import annotations

import pytest
from tests.builders import bash, call, view, write

from interlock.errors import PatternError
from interlock.events.event import Event
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher


def fires(matcher: str | None, event: Event, *, every_part: bool = False) -> bool:
    read = parse_matcher(matcher)
    return read.fires(LocalCallView(event, PatternIndex(read.patterns)), every_part=every_part)


def uses(tool: str) -> Event:
    return call(tool, tool_input={})


@pytest.mark.req("C26", "M29", "P7")
@pytest.mark.parametrize("matcher", [None, "", " ", "*", "Write|*"])
def test_everything_also_means_events_without_a_tool(matcher: str | None) -> None:
    """No matcher, an empty one and a star are the same."""
    assert fires(matcher, uses("Bash"))
    assert fires(matcher, Event(name="Stop"))
    assert not parse_matcher(matcher).needs_tool


@pytest.mark.req("C24", "C25", "M29", "P7")
@pytest.mark.parametrize(
    ("matcher", "meant", "others"),
    [
        ("Edit", ["Edit"], ["MultiEdit", "edit", "Edi", "Editor"]),
        ("Bash*", ["Bash", "BashOutput"], ["bash", "MyBash"]),
        ("Write|Edit", ["Write", "Edit"], ["MultiEdit", "Read"]),
        ("Write | Edit", ["Write", "Edit"], ["Read"]),
        ("Write|Notebook*", ["Write", "NotebookEdit"], ["Edit"]),
        ("mcp__git.*hub", [], []),
        ("/Edit/", ["Edit", "MultiEdit"], ["Write", "edit"]),
        ("/^(Write|Edit)$/", ["Write", "Edit"], ["MultiEdit"]),
        ("/^mcp__.*__write/", ["mcp__x__write_file"], ["mcp__x__read"]),
    ],
)
def test_a_matcher_means_its_tools_and_no_others(matcher: str, meant: list[str], others: list[str]) -> None:
    """Names are exact, a final star is a prefix, `/…/` searches; letter case counts."""
    if not meant:
        with pytest.raises(PatternError):
            parse_matcher(matcher)
        return
    assert all(fires(matcher, uses(tool)) for tool in meant)
    assert not any(fires(matcher, uses(tool)) for tool in others)
    assert not fires(matcher, Event(name="Stop"))


@pytest.mark.parametrize(
    ("matcher", "tool"),
    [
        ("Task", "Agent"),
        ("Agent", "Task"),
        ("Task*", "Agent"),
        ("/^Task$/", "Agent"),
        ("mentu_commit", "mcp__interlock__commit"),
        ("mcp__interlock__commit", "mentu_commit"),
        ("mentu_*", "mcp__interlock__commit"),
        ("mentu*", "mcp__interlock__commit"),
        ("mcp__interlock__*", "mentu_commit"),
        ("/^mentu_/", "mcp__interlock__commit"),
        ("execute_bash_command", "Bash"),
    ],
)
def test_a_tool_is_met_under_all_its_names(matcher: str, tool: str) -> None:
    """Aliases hold both ways for names, prefixes and expressions."""
    assert fires(matcher, uses(tool))


@pytest.mark.parametrize(
    ("matcher", "event", "expected"),
    [
        ("Bash(rm *)|Write", bash("rm x"), True),
        ("Bash(rm *)|Write", bash("ls"), False),
        ("Bash(rm *)|Write", write("x"), True),
        ("Bash(a|b)", bash("a|b"), True),
        ("Bash(a|b)", bash("b"), False),
        ("Bash(echo ))|Write(x)", write("x"), True),
        (
            "Bash(description:*danger*)",
            call("Bash", tool_input={"command": "ls", "description": "a danger!"}),
            True,
        ),
    ],
)
def test_a_matcher_may_hold_patterns(matcher: str, event: Event, expected: bool) -> None:
    """A bar inside parentheses is text, outside it separates."""
    assert fires(matcher, event) is expected


def test_a_matcher_means_any_part_or_every_part() -> None:
    """A rule fires when one command is meant; a grant only when all are."""
    event = bash("git log && curl x")

    assert fires("Bash(git *)", event)
    assert not fires("Bash(git *)", event, every_part=True)
    assert fires("Bash(git *)|Bash(curl *)", event, every_part=True)
    assert fires("Bash", event, every_part=True)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (write("/w/app/.env"), True),
        (bash("echo x > .env", cwd="/w/app"), True),
        (bash("cd sub && tee ../.env", cwd="/w/app"), True),
        (bash("cat .env", cwd="/w/app"), False),
        (write("/w/app/src/a"), False),
        (Event(name="Stop"), False),
    ],
)
def test_a_matcher_may_mean_an_effect(event: Event, expected: bool) -> None:
    """Whichever tool has it."""
    assert fires("write(*.env)", event) is expected
    assert fires("Task|write(*.env)", event) is expected


def test_a_matcher_means_what_stands_in_unread_text() -> None:
    """A hook that denies by its matcher sees what a deny list sees."""
    assert fires("Bash(rm -rf *)", bash("python -c 'os.system(\"rm -fr x\")'"))
    assert not fires("Bash(rm -rf *)", bash("python -c 'os.system(\"rm -r x\")'"))


@pytest.mark.req("D17", "M30")
@pytest.mark.parametrize(
    "text", ["Write,Edit", "Write|", "|", "/(/", "/(?=x)/", r"/(a)\1/", "^Bash", "Bash.*"]
)
def test_what_cannot_be_read_is_an_error(text: str) -> None:
    """No misspelt matcher is silently inactive, and no expression may backtrack."""
    with pytest.raises(PatternError):
        parse_matcher(text)


def test_a_comma_is_told_the_bar() -> None:
    """The next step is in the message."""
    with pytest.raises(PatternError, match=r"separate tools with `\|`"):
        parse_matcher("Write,Edit")


def test_a_matcher_keeps_its_text() -> None:
    """Traces show what was written."""
    assert [parse_matcher(text).text for text in (None, "*", "Write|Edit", "/x/")] == [
        "*",
        "*",
        "Write|Edit",
        "/x/",
    ]
    assert view(bash("ls")).event.tool is not None
