"""A hook that is a Python function."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

import msgspec

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import CallView, Pattern
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.handlers.answers import read_answer
from interlock.handlers.environment import context_document, hook_variables


async def call_in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a thread; return or raise what it does.

    A thread pool would be joined when the loop closes, and a few stuck functions would fill it. A daemon
    thread that never ends blocks nothing else.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if not answer.done():
            answer.set_result((value, error))
        elif inspect.iscoroutine(value):
            value.close()  # the caller has given up

    def work() -> None:
        value, error = None, None
        try:
            value = function(*arguments)
        except BaseException as raised:  # noqa: BLE001 - also SystemExit: it is raised where it is awaited
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="interlock-hook", daemon=True).start()
    value, error = await answer
    if error is not None:
        raise error
    return value


Style = Literal["event", "table"]

# Words of Claude Code's answers that Python keeps for itself, as its SDK spells them.
_SPELLINGS: Final = {"continue_": "continue", "async_": "async"}


@dataclass(frozen=True)
class FunctionHandler:
    """Calls a function, sync or async, with the event or with the event document."""

    function: Callable[..., Any] = field(repr=False)
    name: str
    style: Style = "event"  # `(event)`, or `(input_data, tool_use_id, context)`

    kind: ClassVar[str] = "function"
    judges: ClassVar[bool] = True
    instant: ClassVar[bool] = False
    patterns: ClassVar[Sequence[Pattern]] = ()

    def fingerprint(self) -> Any:
        """Where the function is defined; the name tells two lambdas of one module apart."""
        named = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        return [named.__module__, named.__qualname__, self.name]

    async def run(self, view: CallView, seconds: float) -> Verdict:
        """Call the function and read what it returns."""
        event = _own_copy(view.event)
        try:
            async with asyncio.timeout(seconds) as limit:
                result = await self._call(event)
        except HookFailedError:
            raise
        except (Exception, SystemExit) as error:  # whatever its code raises, the chain goes on
            if limit.expired():
                raise HookFailedError(FailureKind.TIMEOUT, f"no answer within {seconds:g} s") from None
            raise HookFailedError(FailureKind.CRASH, f"{type(error).__name__}: {error}") from error
        return self._read(result, event)

    async def _call(self, event: Event) -> Any:
        arguments = self._arguments(event)
        if is_async(self.function):
            return await self.function(*arguments)
        result = await call_in_thread(self.function, *arguments)
        return await result if inspect.isawaitable(result) else result

    def _arguments(self, event: Event) -> tuple[Any, ...]:
        if self.style == "event":
            return (event,)
        document = context_document(event, hook_variables(event))
        return (document, event.tool.use_id if event.tool else None, None)

    def _read(self, result: Any, event: Event) -> Verdict:
        if result is None:
            return NO_OPINION
        if isinstance(result, Verdict):
            return result
        if self.style == "table" and isinstance(result, dict):
            result = {_SPELLINGS.get(name, name): value for name, value in result.items()}
        return read_answer(result, event)


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives something to await."""
    called = type(function).__call__  # for an object whose call is async
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


def _own_copy(event: Event) -> Event:
    # A function that changes its argument must not change the event for other hooks.
    output = event.tool_output
    return msgspec.structs.replace(
        event,
        tool=msgspec.structs.replace(event.tool, input=deepcopy(event.tool.input)) if event.tool else None,
        tool_output=deepcopy(output) if isinstance(output, dict | list) else output,
        extra=deepcopy(event.extra),
    )
