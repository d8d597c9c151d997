"""docs/quickstart.md is what a new user sees, and takes no longer than it says."""

from __future__ import annotations

import re

from scripts.quickstart import PAGE, run_quickstart
from tests.quick_tier import slowness

COMMANDS = 3
SECONDS = 30.0  # from `interlock setup` to the first denied command
SETUP_SECONDS = 10.0


def comparable(page: str) -> str:
    """Without what differs from one machine and one day to the next."""
    return re.sub(r"about \d+ seconds|using Python [\d.]+|interlock [\d.]+\w*", "", page)


def test_a_new_user_sees_the_first_denied_command_in_three_commands() -> None:
    """Install, setup and the real Claude Code in an empty home; the page has what was printed."""
    found = run_quickstart()
    slow = max(1, slowness())  # a slower machine gets more time

    assert len(found.commands) == COMMANDS
    assert sum(found.seconds[1:]) < SECONDS * slow, found.seconds
    assert found.seconds[1] < SETUP_SECONDS * slow, found.seconds
    assert found.kept
    assert "This would delete" in found.denied
    assert comparable(found.page()) == comparable(PAGE.read_text("utf-8"))
