"""Events are values: changing one gives another."""

from __future__ import annotations

import msgspec
import pytest
from tests.builders import bash

from interlock.errors import UnknownEventError
from interlock.events.event import Event


def test_a_changed_input_leaves_the_original_alone() -> None:
    """The event a host sent can still be compared with what came of it."""
    before = bash("ls")
    after = before.with_input({"command": "pwd"})

    assert (before.tool and before.tool.input, after.tool and after.tool.input) == (
        {"command": "ls"},
        {"command": "pwd"},
    )
    assert after.tool is not None
    assert after.tool.use_id == "toolu_1"


def test_an_event_without_a_tool_has_no_input_to_change() -> None:
    """Nothing is invented for a moment that is not about a tool."""
    event = Event(name="Stop")

    assert event.with_input({"command": "ls"}) is event


def test_prompt_and_output_change_alone() -> None:
    """A change touches one field, and null is a value an output may take."""
    event = Event(name="PostToolUse", prompt="a", tool_output="b")

    assert (event.with_prompt("c").prompt, event.with_prompt("c").tool_output) == ("c", "b")
    assert (event.with_output(None).prompt, event.with_output(None).tool_output) == ("a", None)


def test_an_event_cannot_be_assigned_to() -> None:
    """Records are frozen."""
    with pytest.raises(AttributeError):
        bash("ls").name = "Stop"  # type: ignore[misc]  # the point of the test


def test_two_events_share_no_extra_fields() -> None:
    """The empty default is nobody's common notebook."""
    assert Event(name="Stop").extra is not Event(name="Stop").extra


def test_an_event_survives_its_own_json() -> None:
    """What is recorded can be read back as the same value."""
    event = bash("ls", cwd="/w", actor="agent:executor", permission_mode="default", extra={"x": [1]})

    assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event


@pytest.mark.parametrize("tool", ["Bash", {"name": "Bash"}, 3])
def test_a_tool_that_is_no_tool_call_is_refused(tool: object) -> None:
    """No hook could look at it, so all of them would have let it pass."""
    with pytest.raises(TypeError, match="is a ToolCall"):
        Event(name="PreToolUse", tool=tool)  # type: ignore[arg-type]  # the mistake that is meant


def test_a_misspelt_event_is_refused_where_it_is_written() -> None:
    """Any accepted spelling and a new event are taken, and whatever another host reports."""
    with pytest.raises(UnknownEventError, match="did you mean `PreToolUse`"):
        Event(name="PreTolUse")
    assert [Event(name=name).name for name in ("pre_tool_use", "preToolUse", "RocketLaunched")]
    assert Event(name="PreTolUse", host="claude-code").name == "PreTolUse"
