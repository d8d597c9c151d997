"""Analyzes long calls in its own process: `python -I -m interlock.daemon.effects_pool.worker`."""

from __future__ import annotations

import os
import resource
import sys
from typing import BinaryIO, Final

import msgspec

from interlock.builtin_hooks.self_protection.hook import SelfProtection
from interlock.daemon.effects_pool.messages import HEAD, Lesson, Question
from interlock.daemon.gc_tuning import settle_memory
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import SubjectKind, ToolCall, ToolTable
from interlock.patterns.analyzed_call_view import CallAnalysis, look
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex

_MEMORY: Final = 1024 * 1024 * 1024
_SECONDS: Final = 10.0
_NICE: Final = 10  # the daemon and other processes come first


class Analyzer:
    """Analyzes calls under one policy."""

    def __init__(self, taught: Lesson) -> None:
        self._book: Final = PatternIndex(
            taught.patterns, ToolTable(taught.tools, taught.prefixes), home=taught.home
        )
        self._rule: Final = SelfProtection(taught.guarded) if taught.guarded else None
        for spec in taught.tools:
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
        return look(view, self._rule.run(view, _SECONDS) if self._rule else None)


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answer messages until the daemon closes its end."""
    decoder = msgspec.msgpack.Decoder(Lesson | Question)
    analyzer: Analyzer | None = None
    while head := asked.read(HEAD.size):
        message = decoder.decode(asked.read(HEAD.unpack(head)[0]))
        reply = b""
        if isinstance(message, Lesson):
            first, analyzer = analyzer is None, Analyzer(message)
            if first:  # only once: what it freezes is never freed, and a policy may be replaced
                settle_memory()
        elif analyzer is not None:
            reply = msgspec.msgpack.encode(analyzer.analyze(message.event))
        answered.write(HEAD.pack(len(reply)) + reply)
        answered.flush()


def main() -> None:
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
