"""A list of matchers means any of them."""

from __future__ import annotations

import pytest
from tests.builders import bash, call, write

from interlock.errors import PatternError
from interlock.events.event import Event
from interlock.events.hook import Matcher
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher


def fires(matcher: Matcher, event: Event, *, every_part: bool = False) -> bool:
    return matcher.fires(LocalCallView(event, PatternIndex(matcher.patterns)), every_part=every_part)


def test_one_entry_is_enough() -> None:
    """Patterns of tools, of effects, names and prefixes may stand side by side."""
    read = parse_matcher(["Bash(a *)", "write(b)", "Grep|Glob", "mcp__x__*"])

    assert fires(read, bash("a 1"))
    assert fires(read, bash("echo 1 > b"))
    assert fires(read, write("b"))
    assert fires(read, call("Glob", tool_input={}))
    assert fires(read, call("mcp__x__y", tool_input={}))
    assert not fires(read, bash("b 1"))
    assert read.text == "Bash(a *)|write(b)|Grep|Glob|mcp__x__*"


def test_a_pattern_may_hold_what_would_part_a_single_text() -> None:
    """Entries are not joined and parted again: a bracket that stays open is the entry's own."""
    read = parse_matcher(["Bash(echo ( *)", "Bash(ls *)"])

    assert [pattern.text for pattern in read.patterns] == ["Bash(echo ( *)", "Bash(ls *)"]


def test_entries_cover_a_chain_together() -> None:
    """As with an allow list, each part may be met by another entry."""
    read = parse_matcher(["Bash(a *)", "Bash(b *)"])

    assert fires(read, bash("a 1 && b 2"), every_part=True)
    assert not fires(read, bash("a 1 && c 2"), every_part=True)
    assert read.by_patterns_alone


def test_an_expression_may_be_an_entry() -> None:
    """What is not a pattern is asked by itself."""
    read = parse_matcher(["/^Web/", "Bash(a *)"])

    assert fires(read, call("WebFetch", tool_input={}))
    assert fires(read, bash("a 1"))
    assert not fires(read, bash("b 1"))
    assert (read.needs_tool, read.by_patterns_alone) == (True, False)
    assert parse_matcher(["/^Web/"]).text == "/^Web/"


def test_everything_among_the_entries_is_everything() -> None:
    """A star takes the others in."""
    read = parse_matcher(["Bash(a *)", "*"])

    assert fires(read, Event(name="Stop"))
    assert not read.needs_tool


def test_an_empty_list_is_refused() -> None:
    """A hook that could never run is a mistake."""
    with pytest.raises(PatternError, match="empty list"):
        parse_matcher([])
