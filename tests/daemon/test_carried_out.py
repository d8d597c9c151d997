"""What ran is compared with what was decided."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.daemon.decided_calls import OverrideCheck
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote

YES = Decision(vote=Vote.ALLOW)


def event(name: str, tool_input: dict[str, Any], use_id: str = "t1") -> Event:
    return Event(name=name, session_id="s", tool=ToolCall(name="Bash", input=tool_input, use_id=use_id))


@pytest.mark.parametrize("text", ["ls", "x" * 5_000])
@pytest.mark.parametrize("after", ["PostToolUse", "PostToolUseFailure"])
def test_another_input_than_was_decided_is_noticed_once(text: str, after: str) -> None:
    """Small or as long as a file; the same input is no matter, and a report is compared one time."""
    same, other = OverrideCheck(), OverrideCheck()
    for one in (same, other):
        one.expect(event("PreToolUse", {"command": text}), YES)

    assert not same.find(event(after, {"command": text}))
    assert other.find(event(after, {"command": text + "!"}))
    assert not other.find(event(after, {"command": text + "!"}))


def test_a_changed_input_is_what_is_expected() -> None:
    """A host that drops our change is found out."""
    carried = OverrideCheck()
    changed = Decision(vote=Vote.ALLOW, updated_input={"command": "safe"})
    carried.expect(event("PreToolUse", {"command": "raw"}, "a"), changed)
    carried.expect(event("PreToolUse", {"command": "raw"}, "b"), changed)

    assert not carried.find(event("PostToolUse", {"command": "safe"}, "a"))
    assert carried.find(event("PostToolUse", {"command": "raw"}, "b"))


def test_a_call_that_was_never_decided_is_not_compared() -> None:
    """After a restart nothing is known, and nothing is claimed."""
    assert not OverrideCheck().find(event("PostToolUse", {"command": "ls"}))
