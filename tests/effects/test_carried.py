"""What a tool of an MCP server gives to a shell is the shell call it comes to."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.effects.tool_fields import CARRIED_BY, carried_call
from interlock.events.event import Event
from interlock.events.tool import ToolCall


def carried(name: str, fields: dict[str, Any], cwd: str = "/w") -> Event | None:
    """The shell call behind a call."""
    return carried_call(Event(name="PreToolUse", cwd=cwd, tool=ToolCall(name=name, input=fields)))


@pytest.mark.parametrize(
    ("name", "fields", "text"),
    [
        ("mcp__shell__run_command", {"command": "rm -rf x"}, "rm -rf x"),
        ("mcp__any__thing", {"cmd": "a | b"}, "a | b"),
        ("mcp__any__thing", {"CommandLine": "a"}, "a"),
        ("mcp__any__thing", {"SHELL-COMMAND": "a"}, "a"),
        ("mcp__any__thing", {"command": ["rm", "-rf", "a b"]}, "rm -rf 'a b'"),
        ("mcp__any__thing", {"command": "rm", "args": ["-rf", "/"]}, "rm -rf /"),
        ("mcp__any__thing", {"cmd": ["sh", "-c"], "args": ["a; b"]}, "sh -c 'a; b'"),
        ("mcp__any__thing", {"commands": ["cd x", "ls"]}, "cd x\nls"),
        ("mcp__bash__run", {"script": "a; b"}, "a; b"),
        ("mcp__local-terminal__go", {"code": "ls"}, "ls"),
        ("mcp__box__run", {"code": "ls", "language": "bash"}, "ls"),
        ("mcp__python__run", {"code": "f('x')"}, "python3 -c 'f('\"'\"'x'\"'\"')'"),
        ("mcp__python__exec", {"script": "f()"}, "python3 -c 'f()'"),
        ("mcp__ide__executeCode", {"code": "f()"}, "python3 -c 'f()'"),
        ("mcp__run__js", {"code": "f()"}, "node -e 'f()'"),
        ("mcp__box__run", {"code": "f()", "language": "javascript"}, "node -e 'f()'"),
        ("mcp__shell__run", {"code": "f()", "language": "ruby"}, "ruby -e 'f()'"),
        ("mcp__sqlite__go", {"script": "select 1"}, "psql -c 'select 1'"),
    ],
)
def test_a_call_is_what_its_fields_come_to(name: str, fields: dict[str, Any], text: str) -> None:
    """Words as words, texts as texts, programs of another language as its interpreter runs them."""
    event = carried(name, fields)

    assert event is not None
    assert event.tool is not None
    assert (event.tool.name, event.tool.input) == ("Bash", {"command": text})
    assert event.extra == {CARRIED_BY: name}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("mcp__files__read", {"path": "/x"}),
        ("mcp__shell__run", {"command": ""}),
        ("mcp__shell__run", {"command": 7}),
        ("mcp__interlock__explain", {"command": "ls"}),
        ("Bash", {"command": "ls"}),
        ("Deploy", {"command": "ls"}),
    ],
)
def test_any_other_call_carries_nothing(name: str, fields: dict[str, Any]) -> None:
    """Nor does one of ours, and what a table lists is read by it."""
    assert carried(name, fields) is None


def test_it_runs_where_the_call_says() -> None:
    """A field names the folder, from that of the call."""
    event = carried("mcp__shell__run", {"command": "ls", "cwd": "sub"})

    assert event is not None
    assert event.cwd == "/w/sub"
