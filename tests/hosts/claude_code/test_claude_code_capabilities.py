"""The table of what the host takes at each moment."""

from __future__ import annotations

from tests.hosts.claude_code.recorded import SCHEMA

from interlock.events.names import JUDGED, EventName
from interlock.hosts.claude_code.capabilities import CAPABILITIES, events_of


def test_all_events_of_the_host_are_in_the_table() -> None:
    """The 31 events are our names without the three no such host reports."""
    others = {EventName.POST_USER_MESSAGE, EventName.STATUS_LINE, EventName.FILE_SUGGESTION}

    assert set(CAPABILITIES) == set(EventName) - others
    assert len(CAPABILITIES) == 31


def test_what_is_judged_can_be_refused() -> None:
    """A vote counts exactly where the host takes a no."""
    assert {name for name, moment in CAPABILITIES.items() if moment.refusal} == JUDGED


def test_the_schema_speaks_of_every_event() -> None:
    """Each event has its own part of the schema, and only events have."""
    assert set(SCHEMA["$defs"]) - {"text"} == set(CAPABILITIES)


def test_the_schema_agrees_on_what_may_be_said() -> None:
    """Messages and context are in the schema where the table has them; nothing is where it has nothing."""
    for name, moment in CAPABILITIES.items():
        part = SCHEMA["$defs"][name]
        properties = part["properties"] if part else {}
        own = properties.get("hookSpecificOutput", {}).get("properties", {})
        assert ("systemMessage" in properties, "additionalContext" in own) == (
            moment.message,
            moment.context,
        ), name


def test_events_are_those_a_version_has() -> None:
    """A later event is left out for an earlier client, and a worktree is never taken over."""
    assert "DirectoryAdded" not in events_of("2.1.197")
    assert "DirectoryAdded" in events_of("2.1.219")
    assert set(events_of("2.1.240")) == set(events_of()) == set(CAPABILITIES) - {"WorktreeCreate"}
    assert events_of("unknown") == events_of("2.1.x") == events_of()
