"""What hooks of one kind have in common: rules answer at once, in the process that decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

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


class _OfOptions:
    """What tells a hook from others of its kind."""

    def __init__(self, options: msgspec.Struct) -> None:
        self._options = options

    def fingerprint(self) -> Any:
        """The options: two hooks that do the same are one."""
        return msgspec.to_builtins(self._options)


class OptionRule(_OfOptions, Rule):
    """Base of hooks that answer at once."""


class SlowRule(_OfOptions):
    """Base of hooks that wait for something; `run` is a coroutine, and a hook that never votes says so."""

    instant: Final = False

    @property
    def judges(self) -> bool:
        """They vote unless they say otherwise."""
        return True

    @property
    def patterns(self) -> Sequence[Pattern]:
        """They are found by their matcher and ask about nothing more."""
        return ()


class Helper(OptionRule):
    """Base of hooks that add context or change an input, and never vote."""

    @property
    def judges(self) -> bool:
        """Help is not an opinion."""
        return False
