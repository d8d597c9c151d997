"""What commands print, as a model needs it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.builtin_hooks.making import made

from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall

SAME = msgspec.UNSET


def printed(output: Any, config: dict[str, Any] | None = None, tool: str = "Bash") -> Any:
    """What becomes of an output."""
    engine = made("format_output", "post_tool_use", config)
    call = ToolCall(name=tool, input={"command": "make"})
    return engine.decide_sync(
        Event(name=EventName.POST_TOOL_USE, tool=call, tool_output=output)
    ).updated_output


@pytest.mark.req("M5")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        (" 10%\r 50%\r100%\ndone", "100%\ndone"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\x08\x00b", "ab"),
        ("a   \nb\t\n", "a\nb\n"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("x\nw\nw\nw\nw\ny", "x\nw\n[the line above 4 times]\ny"),
    ],
)
def test_what_only_a_terminal_shows_goes(before: str, after: str) -> None:
    """Colours, titles, links, progress bars, blanks and repeats."""
    assert printed({"stdout": before, "stderr": "", "interrupted": False}) == {
        "stdout": after,
        "stderr": "",
        "interrupted": False,
    }


@pytest.mark.parametrize(
    "output", [None, "plain\ntext\n", {"stdout": "a\na\n", "code": 3}, "", "ä ✓ 日本\n", 5]
)
def test_what_is_plain_stays_the_same(output: Any) -> None:
    """Nothing is sent where nothing changed."""
    assert printed(output) is SAME


def test_a_long_text_keeps_its_ends() -> None:
    """How many lines are gone stands between them."""
    text = "\n".join(map(str, range(10)))

    assert printed(text, {"most_lines": 4}) == "0\n1\n[6 lines left out]\n8\n9"
    assert printed(text, {"most_lines": 5}) == "0\n1\n2\n[5 lines left out]\n8\n9"
    assert printed(text, {"most_lines": 10}) is SAME


@pytest.mark.parametrize(
    ("option", "text"),
    [("escapes", "\x1b[1mx"), ("blanks", "x \ny"), ("repeats", "w\nw\nw")],
)
def test_each_part_can_be_left_out(option: str, text: str) -> None:
    """One line of policy."""
    assert printed(text) is not SAME
    assert printed(text, {option: False}) is SAME


def test_files_are_not_touched_unless_somebody_says_so() -> None:
    """A line an agent edits must stand in the file as it read it."""
    assert printed("a  \n", tool="Read") is SAME


def test_pictures_are_left_alone() -> None:
    """Letters of a picture are not text."""
    assert printed({"type": "image", "data": "a  \nb"}) is SAME


def test_everything_off_is_a_mistake() -> None:
    """The entry would do nothing."""
    with pytest.raises(ConfigError, match="nothing would be formatted"):
        made("format_output", "post_tool_use", {"escapes": False, "blanks": False, "repeats": False})
