"""The messages between the daemon and the processes that analyze long calls."""

from __future__ import annotations

import struct
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import Pattern
from interlock.events.tool import ToolSpec
from interlock.patterns.index import PatternIndex
from interlock.policy.protected_paths import Guarded

# The size of a message, sent before it.
HEAD: Final = struct.Struct("!I")


class Lesson(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The policy for the calls that follow; answered by an empty message once the worker has learned it."""

    patterns: tuple[Pattern, ...]
    tools: tuple[ToolSpec, ...]
    prefixes: dict[str, str]
    home: str
    guarded: Guarded | None = None  # None: without self-protection


class Question(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A call to analyze; the worker answers with a `CallAnalysis`."""

    event: Event


def lesson(book: PatternIndex, guarded: Guarded | None) -> Lesson:
    return Lesson(
        patterns=book.patterns,
        tools=book.tools.specs,
        prefixes=dict(book.tools.prefixes),
        home=book.home,
        guarded=guarded,
    )


def question(event: Event) -> Question:
    """The event without the fields that no pattern reads."""
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
    data = msgspec.msgpack.encode(message)
    return HEAD.pack(len(data)) + data
