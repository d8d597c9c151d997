"""What a hook in one file says of itself, whether it is shipped or comes from a plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.base import Rule
from interlock.builtin_hooks.build_context import Making
from interlock.events.hook import Handler, Matcher, OnFailure, Pattern
from interlock.events.names import EventName


class Builtin(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of hook: the word policies name it by, its options, and how it is made of them."""

    kind: str  # the `type` of an entry
    about: str  # one line for `interlock hooks catalog`
    options: type[msgspec.Struct]  # what may stand under `config`
    make: Callable[[Any, Making], Handler | None]  # None: a problem was noted
    events: tuple[EventName, ...] = ()  # where an entry may stand; none: anywhere
    also: tuple[EventName, ...] = ()  # further moments it is run at, wherever the entry stands
    matcher: str = "*"  # when the entry has none
    seconds: float = 10.0  # its time limit when the entry has none
    on_failure: OnFailure | None = None  # when the entry has none; None: the rule of the moment
    votes: bool = False  # exists to vote: where votes do not count it does nothing
    tightens: bool = False  # can only deny, ask, record or add context, never run or change anything
    loops: bool = False  # sends a stop back again and again, and counts how often itself
    # Of the calls its entry means, the matcher of those it has anything to do with; the rest leaves no row.
    narrow: Callable[[Handler, Matcher], Matcher] | None = None


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
        """Help is no opinion."""
        return False
