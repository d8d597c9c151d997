"""What hooks of one kind have in common: rules answer at once, in the process that decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.events.hook import Pattern


class Rule:
    """Base of the hooks that nobody waits for; `cleaning` alone has git asked, for a few calls."""

    instant: bool = True
    judges: bool = True  # whether it votes
    # Whether it also judges the text that a tool of an MCP server gives to a shell, as a call of the shell.
    judges_carried = False

    @property
    def patterns(self) -> Sequence[Pattern]:
        """Most rules are found by their matcher and ask about nothing more."""
        return ()


class OptionRule(Rule):
    """Base of hooks with options."""

    def __init__(self, options: msgspec.Struct) -> None:
        self._options = options

    def fingerprint(self) -> Any:
        """The options: two hooks that do the same are one."""
        return msgspec.to_builtins(self._options)


class SlowRule(OptionRule):
    """Base of hooks that wait for something; `run` is a coroutine, and a hook that never votes says so."""

    instant = False


class Helper(OptionRule):
    """Base of hooks that add context or change an input, and never vote."""

    judges = False
