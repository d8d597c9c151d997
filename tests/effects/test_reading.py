"""Which field of a call is read, and how."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

import pytest

from interlock.effects.command import repaired
from interlock.effects.reading import read_call, read_field
from interlock.events.tool import ToolCall
from interlock.events.tool_table import STANDARD_TOOLS


def _read(tool: str, tool_input: dict[str, Any]) -> tuple[str, ...]:
    return read_call(ToolCall(name=tool, input=tool_input), STANDARD_TOOLS.spec(tool), "/w").deny


@pytest.mark.req("M53")
@pytest.mark.parametrize(
    ("tool", "tool_input", "first"),
    [
        ("Bash", {"command": "ls", "description": "x"}, "ls"),
        ("Task", {"subagent_type": "executor", "prompt": "x"}, "executor"),
        ("WebFetch", {"url": "https://a", "prompt": "x"}, "https://a"),
        ("Write", {"file_path": "a", "content": "x"}, "a"),
        ("mcp__x__y", {"path": "p", "command": "c"}, "c"),
        ("mcp__x__y", {"file_path": "f", "path": "p"}, "p"),
        ("mcp__x__y", {"file_path": "f"}, "f"),
    ],
)
def test_the_main_field_is_read(tool: str, tool_input: dict[str, Any], first: str) -> None:
    """The table names it; for an unlisted tool command comes before path and path before file_path."""
    assert _read(tool, tool_input)[0] == first


@pytest.mark.parametrize("tool_input", [{}, {"command": None}, {"other": "x"}])
def test_a_call_without_its_field_has_no_text(tool_input: dict[str, Any]) -> None:
    """There is nothing a glob could match."""
    assert _read("Bash", tool_input) == ()


@pytest.mark.parametrize("value", [["rm", "-rf"], 3, {"a": 1}, True, PurePosixPath("x"), ["\ud800"]])
def test_what_is_no_text_is_unread_and_breaks_nothing(value: Any) -> None:
    """It is judged by its JSON, or by how it shows itself, and never allowed by it."""
    reading = read_field(ToolCall(name="Bash", input={"command": value}), "command")

    assert reading.unread
    assert len(reading.deny) == 1


def test_lone_surrogates_are_replaced_and_marked() -> None:
    """Such a text can be matched by a deny and never by an allow."""
    reading = read_field(ToolCall(name="Bash", input={"command": "rm \ud800"}), "command")

    assert (reading.deny, bool(reading.unread)) == (("rm \ufffd",), True)


@pytest.mark.parametrize("text", ["", "plain", "grüße", "你好", "😀"])
def test_text_that_is_text_is_left_alone(text: str) -> None:
    """The same object comes back, so nothing is marked as repaired."""
    assert repaired(text) is text


@pytest.mark.parametrize("decoy", [None, "x", ["x"]])
def test_a_decoy_does_not_hide_what_an_unlisted_tool_is_about(decoy: object) -> None:
    """Every field that could be the subject is judged: one match denies, an allow needs all of them."""
    call = ToolCall(name="mcp__fs__write", input={"command": decoy, "path": "/etc/passwd"})
    reading = read_call(call, None, "/w")

    assert "/etc/passwd" in reading.deny
    assert ("/etc/passwd",) in reading.allow
