"""Our time and the host's come from one table."""

from __future__ import annotations

import pytest
from tests.builders import hook
from tests.hosts.claude_code.recorded import HOST

from interlock.events.names import EventName
from interlock.events.verdict import NO_OPINION
from interlock.hosts.claude_code.capabilities import CAPABILITIES, entry_timeout


@pytest.mark.req("D04")
@pytest.mark.parametrize("name", [*CAPABILITIES, "BrandNew"])
def test_our_time_ends_before_the_hosts(name: str) -> None:
    """A hook that is too slow is ended by us, not by a host that then goes on without an answer."""
    assert entry_timeout(name) / 2 < HOST.budget(name) < entry_timeout(name)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("PreToolUse", 60),
        ("PostToolUse", 60),
        ("UserPromptSubmit", 30),
        ("SessionStart", 15),
        ("SessionEnd", 5),
        ("Stop", 30),
    ],
)
def test_the_usual_times(name: str, seconds: int) -> None:
    """Tool calls have the longest time, the end of a session the shortest."""
    assert entry_timeout(name) == seconds


@pytest.mark.parametrize(("timeout", "written"), [(10.0, 60), (60.0, 67), (300.0, 334), (600.0, 600)])
def test_a_hook_that_needs_longer_gets_it_up_to_the_ceiling(timeout: float, written: int) -> None:
    """The longest hook at the event counts, with room for the way; a hook elsewhere does not."""
    hooks = [
        hook(NO_OPINION, events=(EventName.PRE_TOOL_USE,), timeout=timeout),
        hook(NO_OPINION, events=(EventName.POST_TOOL_USE,), timeout=599.0),
    ]

    assert entry_timeout("PreToolUse", hooks) == written
    assert entry_timeout("Stop", hooks) == 30
