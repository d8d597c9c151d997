"""What rules have in common: they answer at once, in the process that decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.events.hook import Pattern


class Rule:
    """Base of the hooks that nobody waits for; `cleaning` alone has git asked, for a few calls."""

    instant: Final = True
    # Whether it also judges the text that a tool of an MCP server gives to a shell, as a call of the shell.
    judges_carried = False

    @property
    def judges(self) -> bool:
        """Rules vote unless they say otherwise."""
        return True

    @property
    def patterns(self) -> Sequence[Pattern]:
        """Most rules are found by their matcher and ask about nothing more."""
        return ()
