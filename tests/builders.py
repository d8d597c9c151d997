"""Small builders of events, hooks and permissions, so that a test says only what it is about."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, Hook, Layer, Pattern, PatternList, Source
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher, parse_pattern
from interlock.permissions.judge import ActorEntry, GenesisEnforcement, PermissionTable

Answer = Verdict | Callable[[Event], Verdict]

PROJECT = Source(layer=Layer.PROJECT, file=".interlock/genesis.key", line=7)


def call(tool: str, *, name: str = "PreToolUse", tool_input: dict[str, Any], **fields: Any) -> Event:
    """An event about one use of a tool."""
    return Event(name=name, session_id=fields.pop("session_id", "s1"), tool=_tool(tool, tool_input), **fields)


def _tool(name: str, tool_input: dict[str, Any]) -> ToolCall:
    return ToolCall(name=name, input=tool_input, use_id="toolu_1")


def bash(command: str, **fields: Any) -> Event:
    """A shell command about to run."""
    return call("Bash", tool_input={"command": command}, **fields)


def write(path: str, *, cwd: str = "/w/app", **fields: Any) -> Event:
    """A file about to be written."""
    return call("Write", tool_input={"file_path": path, "content": "x"}, cwd=cwd, **fields)


@dataclass
class Says:
    """A handler that gives one answer at once, and remembers what it was shown."""

    answer: Answer
    judges: bool = True
    kind: str = "says"
    mark: str = ""
    patterns: Sequence[Pattern] = ()
    instant: bool = True
    shown: list[Event] = field(default_factory=list)
    given: list[float] = field(default_factory=list)

    def fingerprint(self) -> Any:
        return self.mark

    def run(self, view: CallView, seconds: float) -> Verdict | Awaitable[Verdict]:
        self.shown.append(view.event)
        self.given.append(seconds)
        return self.answer if isinstance(self.answer, Verdict) else self.answer(view.event)

    @property
    def commands(self) -> list[str]:
        """The commands it was shown, in order."""
        return [event.tool.input["command"] for event in self.shown if event.tool]


@dataclass
class Fails(Says):
    """A handler that fails in one way."""

    answer: Answer = NO_OPINION
    failure: FailureKind = FailureKind.CRASH

    def run(self, view: CallView, seconds: float) -> Verdict:
        super().run(view, seconds)
        raise HookFailedError(self.failure, f"failed by {self.failure}")


@dataclass
class Waits(Says):
    """A handler that says when it began and answers when it is let go."""

    answer: Answer = NO_OPINION
    instant: bool = False
    began: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, view: CallView, seconds: float) -> Verdict:
        answer = super().run(view, seconds)
        self.began.set()
        await self.go.wait()
        return answer if isinstance(answer, Verdict) else await answer


def hook(handler: Handler | Verdict, *, matcher: str = "*", **fields: Any) -> Hook:
    """A hook before a tool call, named after its handler unless said otherwise."""
    handler = Says(handler) if isinstance(handler, Verdict) else handler
    fields = {"name": handler.kind, "events": ("PreToolUse",), **fields}
    return Hook(handler=handler, matcher=parse_matcher(matcher), **fields)


def rewriting(old: str, new: str) -> Says:
    """A handler without a vote that replaces text in a command."""

    def answer(event: Event) -> Verdict:
        assert event.tool is not None
        return Verdict(updated_input={"command": event.tool.input["command"].replace(old, new)})

    return Says(answer, judges=False, kind="rewrites")


def patterns(*texts: str) -> tuple[Pattern, ...]:
    """Patterns from their texts."""
    return tuple(parse_pattern(text) for text in texts)


def entry(
    actor: str,
    *,
    allow: Sequence[str] | None = None,
    deny: Sequence[str] = (),
    guidance: dict[str, str] | None = None,
) -> ActorEntry:
    """What one file says about one actor."""
    allowed = None if allow is None else patterns(*allow)
    return ActorEntry(actor=actor, allow=allowed, deny=patterns(*deny), guidance=guidance or {})


def enforcing(*tables: PermissionTable) -> list[Hook]:
    """One enforcement hook per layer, as the files of several layers compile to."""
    found = []
    for table in tables:
        others = tuple(other for other in tables if other is not table)
        found.append(hook(GenesisEnforcement(table, others)))
    return found


def view(event: Event, *texts: str) -> LocalCallView:
    """An event as the hooks of a policy with these patterns see it."""
    return LocalCallView(event, PatternIndex(patterns(*texts)))


def denied(pattern: str, event: Event) -> bool:
    """Whether a pattern in a deny list hits a call."""
    return view(event, pattern).denied(PatternList(patterns(pattern))) is not None


def allowed(event: Event, *texts: str) -> bool:
    """Whether patterns in an allow list cover a call."""
    return view(event, *texts).allowed(PatternList(patterns(*texts))) is not None
