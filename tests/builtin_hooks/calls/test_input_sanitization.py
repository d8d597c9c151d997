"""Calls whose text is not what it looks like."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builtin_hooks.making import bash, made

from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote


def judged(event: Event, config: dict[str, Any] | None = None) -> Decision:
    """What becomes of a call."""
    return made("input_sanitization", "pre_tool_use", config).decide_sync(event)


def call(name: str, **fields: Any) -> Event:
    """A call of any tool."""
    return Event(name=EventName.PRE_TOOL_USE, tool=ToolCall(name=name, input=fields))


@pytest.mark.req("M5")
@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("ls\x1b[2K", "U+001B"),
        ("ls\x00", "U+0000"),
        ("ls\r", "U+000D"),
        ("l\u200bs", "U+200B"),
        ("l\u200ds", "U+200D"),
        ("echo '\u202ehctac'", "U+202E"),
        ("echo \U000e0062", "U+E0062"),
        ("rm\u00a0x", "U+00A0"),
        ("gi\u0442 status", "U+0442"),
        ("echo a; \u0435cho b", "U+0435"),
        ("\uff47it status", "U+FF47"),
    ],
)
def test_letters_nobody_sees_and_names_that_only_look_like_others_are_denied(
    command: str, number: str
) -> None:
    """With the number of the letter and where it stands."""
    decision = judged(bash(command))

    assert decision.denied
    assert f"it contains {number} (" in (decision.reason or "")


@pytest.mark.parametrize(
    "command",
    [
        "ls -la\n\tcat x",
        "git commit -m 'größer, 日本, привет'",
        "git commit -m '👩‍💻 10\u00a0%'",
        "cat файл.txt",
        "запуск --fast",
        "",
    ],
)
def test_other_scripts_are_not_suspicious(command: str) -> None:
    """Whole words of another script, emoji, blanks in a text."""
    decision = judged(bash(command))

    assert decision.vote is Vote.ABSTAIN


def test_the_plain_text_is_suggested_and_never_put_in_its_place() -> None:
    """A rewrite is no protection: a host may drop it."""
    decision = judged(bash("l\u200bs\u00a0-la \x07"))

    assert decision.updated_input is None
    assert decision.reason is not None
    assert decision.reason.endswith("; if you mean this, send `ls -la `")
    assert "write it in plain letters" in (judged(bash("gi\u0442 x")).reason or "")


def test_a_path_is_one_line_and_an_address_has_the_host_it_shows() -> None:
    """Also those of tools nobody lists."""
    assert judged(call("Write", file_path="/x/a\n.py", content="a\nb")).denied
    assert judged(call("mcp__files__open", path="/x/a\t.py")).denied
    assert judged(call("WebFetch", url="https://\u0430pple.com/", prompt="x")).denied
    assert not judged(call("WebFetch", url="https://пример.рф/a", prompt="x")).denied
    assert not judged(call("Write", file_path="/x/a.py", content="\x1b\u200b")).denied


def test_more_fields_can_be_named() -> None:
    """Such as the content of files."""
    event = call("Write", file_path="/x/a.py", content="access = '\u2066admin'")

    assert judged(event, {"fields": ["content"]}).denied


def test_a_person_may_decide_instead() -> None:
    """`ask` in place of a no."""
    assert judged(bash("l\u200bs"), {"action": "ask"}).vote is Vote.ASK


def test_look_alikes_can_be_let_pass() -> None:
    """Unseen letters cannot."""
    assert not judged(bash("gi\u0442 x"), {"look_alikes": False}).denied
    assert judged(bash("gi\u200bt x"), {"look_alikes": False}).denied


def test_a_bound_on_length() -> None:
    """A longer command belongs into a file."""
    decision = judged(bash("echo " + "a" * 100), {"longest": 50})

    assert "has 105 characters, and the limit is 50" in (decision.reason or "")
    with pytest.raises(ConfigError, match="would deny everything"):
        judged(bash("ls"), {"longest": 0})


@pytest.mark.parametrize("value", [None, 3, ["ls"], {"a": "b"}])
def test_a_command_that_is_no_text_is_not_its_matter(value: Any) -> None:
    """Others judge that."""
    assert judged(bash(value)).vote is Vote.ABSTAIN
