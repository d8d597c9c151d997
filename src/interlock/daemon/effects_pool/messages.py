"""What goes between the daemon and the processes that look at long calls."""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import ToolSpec
from interlock.patterns.index import PatternIndex
from interlock.policy.protected_paths import Guarded

# Before every message: how many bytes it has.
HEAD: Final = struct.Struct("!I")


class Lesson(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The policy that the calls after it are looked at under; answered by nothing, once it is learnt."""

    patterns: tuple[Pattern, ...]
    tools: tuple[ToolSpec, ...]
    prefixes: dict[str, str]
    home: str
    guarded: Guarded | None = None  # None: nobody asks what self-protection says


class Question(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A call to look at; answered by what was `CallAnalysis`."""

    event: Event


def lesson(book: PatternIndex, guarded: Guarded | None) -> Lesson:
    """All that a process has to know of a policy."""
    return Lesson(
        patterns=book.patterns,
        tools=book.tools.specs,
        prefixes=dict(book.tools.prefixes),
        home=book.home,
        guarded=guarded,
    )


def question(event: Event) -> Question:
    """An event without the fields that no pattern reads."""
    repaired = event.extra.get("repaired")
    return Question(
        event=Event(
            name=event.name,
            cwd=event.cwd,
            project=event.project,
            tool=event.tool,
            extra={"repaired": repaired} if repaired else {},
        )
    )


def framed(message: Lesson | Question) -> bytes:
    """A message as it is sent."""
    data = msgspec.msgpack.encode(message)
    return HEAD.pack(len(data)) + data
