"""Hooks as a table: event → list of `HookMatcher`, each with functions in the order they run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from interlock.events.hook import Hook
from interlock.events.names import EventName, parse_event_name
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.handlers.function import FunctionHandler
from interlock.patterns.matcher import parse_matcher_for
from interlock.sdk.decorator import DEFAULT_SECONDS, checked_seconds, function_name, source_of

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
        given: object = self.hooks
        if not isinstance(given, list | tuple):
            raise TypeError(f"`hooks` of a HookMatcher is a list of functions, not `{given!r:.80}`")
        for one in given:
            if isinstance(one, Hook):
                instead = f"pass it in a list: `Engine([{one.name}])`"
                raise TypeError(f"`{one.name}` is a Hook and names its own event; {instead}")
            if not callable(one):
                raise TypeError(f"`{one!r:.80}` in a HookMatcher is not a function; give functions")
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
    for one in entries:
        if not isinstance(one, HookMatcher):
            instead = "write `HookMatcher(hooks=[function])`"
            raise TypeError(f"`{one!r:.80}` under `{event}` is not a HookMatcher; {instead}")
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
