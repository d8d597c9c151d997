"""The engine as a Python agent makes it: from functions, tables of functions, and policy files."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeAlias

import msgspec

from interlock.effects.classification.book import CallBook, MemoryBook
from interlock.engine import engine
from interlock.engine.engine import Clock
from interlock.engine.session_memory import OnceMemory, RoundsInMemory
from interlock.events.actor import ActorMap
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import MAX_TIMEOUT, Hook
from interlock.events.names import EventName, checked_event_name
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.sdk.decorator import HookMatcher, hooks_from_table

if TYPE_CHECKING:
    from interlock.policy.policy import Policy
    from interlock.sdk.policy_files import PolicyPath


class KeepsCalls(Protocol):
    """A `ToolLedger`, which stands above this package."""

    @property
    def book(self) -> CallBook: ...
    @property
    def hook(self) -> Hook: ...


HookTable: TypeAlias = Mapping[str, Sequence[HookMatcher]]


class Engine(engine.Engine):
    """Decides events by the hooks of policy files, in the order of their layers, then by those of code."""

    def __init__(
        self,
        hooks: Iterable[Hook] | HookTable = (),
        *,
        files: Iterable[PolicyPath] = (),
        environ: Mapping[str, str] | None = None,
        tools: ToolTable = STANDARD_TOOLS,
        once: OnceMemory | None = None,
        record: engine.Recorder | None = None,
        calls: CallBook | None = None,
        ledger: KeepsCalls | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """Take hooks made with `@hook`, or a table of `HookMatcher`, and the files to load before them.

        Every call that they allow is recorded in the `ledger`.
        """
        if calls is not None and ledger is not None:
            raise TypeError("`calls` and `ledger` both say where calls are recorded; give one of them")
        coded = hooks_from_table(hooks, tools) if isinstance(hooks, Mapping) else _checked_hooks(hooks)
        paths = list(files)
        self._stop_counts: Final = RoundsInMemory()  # how often stops were sent back
        self._calls: Final = ledger.book if ledger else calls or MemoryBook()  # where recording hooks write
        self._recording: Final = (ledger.hook,) if ledger else ()
        policy = _policy(paths, environ, self._calls) if paths else None
        self.actors: Final = policy.actors if policy else ActorMap()
        super().__init__(
            (*(policy.pipeline if policy else ()), *coded, *self._recording),
            revision=policy.revision if policy else "",
            tools=tools,
            once=once,
            record=record,
            rounds=self._stop_counts,
            clock=clock,
        )

    def reload(self, hooks: Sequence[Hook], *, revision: str = "") -> None:
        """Replace the policy; events under way keep the one they began with, `once` is remembered."""
        super().reload((*hooks, *self._recording), revision=revision)

    def withdraw(self, event: Event) -> None:
        """Forget a call that the hooks allowed but that is not made after all."""
        self._calls.withdraw(event)

    async def decide(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """Decide one event, under any accepted spelling of its name."""
        event = _canonical(event)
        with self._recorded(event):
            decision = await super().decide(event, budget=budget)
            self._settle(event, decision)
        return decision

    def decide_sync(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """The same for callers without an event loop."""
        event = _canonical(event)
        with self._recorded(event):
            decision = super().decide_sync(event, budget=budget)
            self._settle(event, decision)
        return decision

    def _settle(self, event: Event, decision: Decision) -> None:
        self._calls.settle(event, decision)
        if event.name == EventName.USER_PROMPT_SUBMIT and not decision.denied:
            self._stop_counts.reset(event.session_id)  # a new turn begins

    @contextmanager
    def _recorded(self, event: Event) -> Iterator[None]:
        """Forget the call if its decision ends with an error."""
        try:
            yield
        except BaseException:
            self._calls.withdraw(event)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


def _canonical(event: Event) -> Event:
    if not isinstance(event, Event):
        raise TypeError(f'`{event!r:.80}` is not an Event; write `Event(name="Stop")`')
    if event.tool is not None and not isinstance(event.tool.input, dict):
        raise TypeError(
            f"`input` of a ToolCall is a dictionary, not `{event.tool.input!r:.80}`; "
            'write `ToolCall(name="Bash", input={"command": "ls"})`'
        )
    # An event under an alias, or a misspelt one, would meet no hook at all, and so be allowed by accident.
    name = checked_event_name(event.name)
    return event if name == event.name else msgspec.structs.replace(event, name=name)


def _policy(files: Iterable[PolicyPath], environ: Mapping[str, str] | None, book: CallBook) -> Policy:
    # An agent whose hooks are all code needs no reader of YAML or conditions.
    from interlock.sdk.policy_files import read_policy

    return read_policy(files, environ, book=book)


def _checked_hooks(hooks: Iterable[Hook]) -> tuple[Hook, ...]:
    checked = tuple(hooks)
    for hook in checked:
        if not isinstance(hook, Hook):
            raise TypeError(f"`{hook!r}` is not a hook; put `@hook(…)` above the function")
    return checked
