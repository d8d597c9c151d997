"""`@hook`: a Python function becomes a hook."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from interlock.events.event import Event
from interlock.events.hook import MAX_ROUNDS, MAX_TIMEOUT, Condition, Hook, OnFailure, Source
from interlock.events.names import STOPS, EventName, parse_event_name
from interlock.events.tool import JsonObject, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Verdict
from interlock.handlers.function import FunctionHandler
from interlock.patterns.matcher import parse_matcher_for

DEFAULT_SECONDS: Final = 10.0

Answer: TypeAlias = Verdict | JsonObject | str | None
HookFunction: TypeAlias = Callable[[Event], Answer | Awaitable[Answer]]


def hook(
    *events: str,
    matcher: str | None = None,
    condition: str | None = None,
    name: str | None = None,
    timeout: float = DEFAULT_SECONDS,
    once: bool = False,
    on_failure: OnFailure | Literal["open", "ask", "closed"] | None = None,
    shadow: bool = False,
    observe: bool = False,
    auto_approve: bool = False,
    rejudge: bool = True,
    max_rounds: int | None = None,
    tools: ToolTable = STANDARD_TOOLS,
) -> Callable[[HookFunction], Hook]:
    """Make a hook of a function `(event) -> Verdict | dict | str | None`, sync or async."""
    names = event_names(events)
    seconds = checked_seconds(timeout)
    tool_matcher = parse_matcher_for(names, matcher, tools)
    rounds = _checked_rounds(max_rounds, names)
    parsed_condition = _condition(condition) if condition else None

    def make_hook(function: HookFunction) -> Hook:
        hook_name = name or function_name(function)
        return Hook(
            name=hook_name,
            events=names,
            handler=FunctionHandler(function, name=hook_name),
            matcher=tool_matcher,
            condition=parsed_condition,
            timeout=seconds,
            on_failure=OnFailure(on_failure) if on_failure else None,
            shadow=shadow,
            once=once,
            observe=observe,
            auto_approve=auto_approve,
            rejudge=rejudge,
            max_rounds=rounds,
            source=source_of(function),
        )

    return make_hook


def event_names(written: tuple[str, ...]) -> tuple[EventName, ...]:
    """Read the events of a hook; raise UnknownEventError with the nearest name for one nobody knows."""
    if not written or not all(isinstance(name, str) for name in written):
        raise TypeError('a hook needs the name of its event; write `@hook("PreToolUse")`')
    return tuple(parse_event_name(name) for name in written)


def checked_seconds(timeout: float) -> float:
    """The time limit, if it is one."""
    if not 0 < timeout <= MAX_TIMEOUT:
        raise ValueError(
            f"timeout `{timeout:g}` is out of range; give seconds, more than 0 and at most {MAX_TIMEOUT:g}"
        )
    return float(timeout)


def _checked_rounds(most: int | None, names: tuple[EventName, ...]) -> int | None:
    if most is None:
        return None
    if not 1 <= most <= MAX_ROUNDS:
        raise ValueError(f"max_rounds `{most}` is out of range; give a number from 1 to {MAX_ROUNDS}")
    if STOPS.isdisjoint(names):
        raise ValueError('`max_rounds` counts turns sent back; write `@hook("Stop", max_rounds=…)`')
    return most


def function_name(function: Callable[..., Any]) -> str:
    """What a function is called in traces; an object goes by the name of its class."""
    name: str = getattr(function, "__name__", type(function).__name__)
    return name


def source_of(function: Callable[..., Any]) -> Source:
    """Where a function is written, as far as Python knows."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return Source(file=code.co_filename, line=code.co_firstlineno) if code else Source()


def _condition(text: str) -> Condition:
    from interlock.policy.conditions.condition import parse_condition

    return parse_condition(text)


# `(input_data, tool_use_id, context) -> dict`, sync or async; `{}` is not an opinion.
TableFunction: TypeAlias = Callable[[dict[str, Any], str | None, Any], Any]


@dataclass(frozen=True)
class HookMatcher:
    """Functions for the tools a matcher means; None and `*` mean all, and events without a tool."""

    matcher: str | None = None
    hooks: Sequence[TableFunction] = ()
    timeout: float | None = None  # seconds for each function

    def __post_init__(self) -> None:
        """Refuse what could never run."""
        hooks: object = self.hooks
        if not isinstance(hooks, list | tuple):
            raise TypeError(f"`hooks` of a HookMatcher is a list of functions, not `{hooks!r:.80}`")
        for function in hooks:
            if isinstance(function, Hook):
                instead = f"pass it in a list: `Engine([{function.name}])`"
                raise TypeError(f"`{function.name}` is a Hook and names its own event; {instead}")
            if not callable(function):
                raise TypeError(f"`{function!r:.80}` in a HookMatcher is not a function; give functions")
        if self.timeout is not None:
            checked_seconds(self.timeout)


def hooks_from_table(
    table: Mapping[str, Sequence[HookMatcher]], tools: ToolTable = STANDARD_TOOLS
) -> tuple[Hook, ...]:
    """The hooks a table stands for, in its order."""
    rows = [(parse_event_name(written), _entries(written, matchers)) for written, matchers in table.items()]
    return tuple(
        hook for event, matchers in rows for matcher in matchers for hook in _hooks(event, matcher, tools)
    )


def _entries(event: str, entries: object) -> Sequence[HookMatcher]:
    if not isinstance(entries, list | tuple):
        raise TypeError(f"`{event}` has `{entries!r:.80}`; give a list of HookMatcher")
    for entry in entries:
        if not isinstance(entry, HookMatcher):
            instead = "write `HookMatcher(hooks=[function])`"
            raise TypeError(f"`{entry!r:.80}` under `{event}` is not a HookMatcher; {instead}")
    return entries


def _hooks(event: EventName, entry: HookMatcher, tools: ToolTable) -> Iterator[Hook]:
    matcher = parse_matcher_for([event], entry.matcher, tools)
    seconds = DEFAULT_SECONDS if entry.timeout is None else entry.timeout
    for function in entry.hooks:
        name = function_name(function)
        yield Hook(
            name=name,
            events=(event,),
            handler=FunctionHandler(function, name=name, style="table"),
            matcher=matcher,
            timeout=seconds,
            source=source_of(function),
        )
