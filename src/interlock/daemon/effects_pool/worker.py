"""Looks at long calls in a process of its own: `python -I -m interlock.daemon.effects_pool.worker`."""

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
from interlock.events.tool import SubjectKind, ToolCall, ToolSpec, ToolTable
from interlock.patterns.analyzed_call_view import CallAnalysis, look
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex

_MEMORY: Final = 1024 * 1024 * 1024
_SECONDS: Final = 10.0
_NICE: Final = 10  # others, and the daemon that waits for it, are woken before it is done


class Looking:
    """One policy, and what is seen of calls under it."""

    def __init__(self, taught: Lesson) -> None:
        self._book: Final = PatternIndex(
            taught.patterns, ToolTable(taught.tools, taught.prefixes), home=taught.home
        )
        self._rule: Final = SelfProtection(taught.guarded) if taught.guarded else None
        for spec in taught.tools:
            if spec.kind is SubjectKind.SHELL:
                self.see(_practice(spec))  # patterns are compiled when they are first asked for

    def see(self, event: Event) -> CallAnalysis:
        """All there is to say about a call; what does not fit into memory is one gap."""
        try:
            return self._see(LocalCallView(event, self._book))
        except MemoryError:
            view = LocalCallView(event, self._book)
            view.give_up("too large to read")
            return self._see(view)

    def _see(self, view: LocalCallView) -> CallAnalysis:
        return look(view, self._rule.run(view, _SECONDS) if self._rule else None)


def _practice(spec: ToolSpec) -> Event:
    call = ToolCall(name=spec.name, input={spec.main or "": "cat a > b; x $("})
    return Event(name=EventName.PRE_TOOL_USE, tool=call, cwd="/")


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answer until the asker closes its end."""
    decoder = msgspec.msgpack.Decoder(Lesson | Question)
    looking: Looking | None = None
    while head := asked.read(HEAD.size):
        message = decoder.decode(asked.read(HEAD.unpack(head)[0]))
        reply = b""
        if isinstance(message, Lesson):
            first, looking = looking is None, Looking(message)
            if first:  # what is set aside stays for good, and another policy may come
                settle_memory()
        elif looking is not None:
            reply = msgspec.msgpack.encode(looking.see(message.event))
        answered.write(HEAD.pack(len(reply)) + reply)
        answered.flush()


def main() -> None:
    """Limit this process, then serve; whoever has less to do goes first."""
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
