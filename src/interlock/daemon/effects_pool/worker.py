"""Analyzes long calls in its own process: `python -I -m interlock.daemon.effects_pool.worker`."""

from __future__ import annotations

import gc
import os
import resource
import struct
import sys
from typing import BinaryIO, Final

import msgspec

from interlock.events.event import Event
from interlock.events.hook import Handler, Pattern
from interlock.events.names import EventName
from interlock.events.tool import SubjectKind, ToolCall, ToolSpec, ToolTable
from interlock.events.verdict import Verdict
from interlock.patterns.analyzed_call_view import CallAnalysis, look
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.policy.hook_kinds import hooks_that_always_stand
from interlock.policy.protected_paths import Guarded

_COLLECT_AFTER: Final = 20_000  # new objects; an event makes about fifty that stay for a while


def settle_memory() -> None:
    """Never collect what is loaded by now, and collect the rest seldom: both would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 100)
    gc.enable()


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


_MEMORY: Final = 1024 * 1024 * 1024
_SECONDS: Final = 10.0
_NICE: Final = 10  # the daemon and other processes come first


class Analyzer:
    """Analyzes calls under one policy."""

    def __init__(self, policy: Lesson) -> None:
        tools = ToolTable(policy.tools, policy.prefixes)
        self._book: Final = PatternIndex(policy.patterns, tools, home=policy.home)
        self._rule: Final = _self_protection(policy.guarded) if policy.guarded else None
        for spec in policy.tools:
            if spec.kind is SubjectKind.SHELL:  # compile the patterns now, not at the first call
                call = ToolCall(name=spec.name, input={spec.main or "": "cat a > b; x $("})
                self.analyze(Event(name=EventName.PRE_TOOL_USE, tool=call, cwd="/"))

    def analyze(self, event: Event) -> CallAnalysis:
        """Analyze a call; one that does not fit into memory is reported as unread."""
        try:
            return self._look(LocalCallView(event, self._book))
        except MemoryError:
            view = LocalCallView(event, self._book)
            view.give_up("too large to read")
            return self._look(view)

    def _look(self, view: LocalCallView) -> CallAnalysis:
        own = self._rule.run(view, _SECONDS) if self._rule else None
        return look(view, own if isinstance(own, Verdict) else None)


def _self_protection(guarded: Guarded) -> Handler:
    """The rule of every policy, which runs here because it reads all of a call."""
    always = hooks_that_always_stand(guarded)
    return next(hook.handler for hook in always if EventName.PRE_TOOL_USE in hook.events)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer messages until the daemon closes its end."""
    decoder = msgspec.msgpack.Decoder(Lesson | Question)
    analyzer: Analyzer | None = None
    while head := requests.read(HEAD.size):
        message = decoder.decode(requests.read(HEAD.unpack(head)[0]))
        reply = b""
        if isinstance(message, Lesson):
            first, analyzer = analyzer is None, Analyzer(message)
            if first:  # only once: what it freezes is never freed, and a policy may be replaced
                settle_memory()
        elif analyzer is not None:
            reply = msgspec.msgpack.encode(analyzer.analyze(message.event))
        answers.write(HEAD.pack(len(reply)) + reply)
        answers.flush()


def main() -> None:
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
