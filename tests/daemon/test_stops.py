"""A stop is blocked once a turn."""

from __future__ import annotations

import pytest

from interlock.daemon.stops import let_be
from interlock.decision import Decision
from interlock.event import Event
from interlock.verdict import Vote

BLOCK = Decision(vote=Vote.DENY, reason="write the notes", decided_by="notes")


@pytest.mark.req("F05")
@pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
def test_a_stop_that_was_blocked_already_is_let_be(name: str) -> None:
    """The hook that would block again is named in the record."""
    first = let_be(Event(name=name, extra={"stop_hook_active": False}), BLOCK)
    second = let_be(Event(name=name, extra={"stop_hook_active": True}), BLOCK)

    assert first is BLOCK
    assert (second.vote, second.reason, second.decided_by) == (Vote.ABSTAIN, None, None)
    assert "`notes` would block again" in second.degraded[0]


def test_no_other_moment_is_let_be() -> None:
    """A payload cannot claim its way past a tool call's denial."""
    assert let_be(Event(name="PreToolUse", extra={"stop_hook_active": True}), BLOCK) is BLOCK
