"""One tool call of an agent's loop, with the hooks before and after it."""

from __future__ import annotations

import inspect
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from interlock.engine.engine import BlockingLoop
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Vote
from interlock.sdk.engine import Engine
from interlock.sdk.results import HookExecuted, ToolResult, executed

Call: TypeAlias = Callable[[JsonObject], Any]
Emit: TypeAlias = Callable[[HookExecuted], Any]
# The event carries the input the tool would really get; only `True` is a yes.
Approve: TypeAlias = Callable[[Event, Decision], bool | Awaitable[bool]]

_Decide: TypeAlias = Callable[[Event], Awaitable[Decision]]
_Settle: TypeAlias = Callable[[Any], Awaitable[Any]]


class ToolRunner:
    """Runs the tools of one session under an engine's policy."""

    def __init__(
        self,
        engine: Engine,
        *,
        session_id: str = "",
        cwd: str | os.PathLike[str] | None = None,
        actor: str | None = None,
        agent_id: str | None = None,
        agent_type: str | None = None,
        emit: Emit | None = None,
        approve: Approve | None = None,
        raise_errors: bool = False,
    ) -> None:
        """Without an `actor` the policy says who acts; without `approve` an ask is a denial."""
        actors = engine.actors
        self._engine: Final = engine
        self._emit: Final = emit
        self._approve: Final = approve
        self._raise_errors: Final = raise_errors
        self._before: Final = Event(
            name=EventName.PRE_TOOL_USE,
            session_id=session_id,
            cwd=str(Path.cwd() if cwd is None else cwd),
            actor=actor or (actors.of_subagent(agent_type) if agent_type else actors.main),
            parent_actor=actors.main if agent_type else None,
            agent_id=agent_id,
            agent_type=agent_type,
        )

    async def run(
        self, tool_name: str, tool_input: JsonObject, call: Call, *, tool_use_id: str | None = None
    ) -> ToolResult:
        """Ask the hooks, call the tool with the final input if they let it, and tell the hooks the end."""
        event = self._event(tool_name, tool_input, tool_use_id)
        return await self._run_call(event, call, self._engine.decide, _settled)

    def run_sync(
        self, tool_name: str, tool_input: JsonObject, call: Call, *, tool_use_id: str | None = None
    ) -> ToolResult:
        """The same for callers without an event loop; the tool is called on this very thread."""
        event = self._event(tool_name, tool_input, tool_use_id)
        return BlockingLoop().finish_at_once(self._run_call(event, call, self._decide_now, _settled_now))

    def _event(self, name: str, tool_input: JsonObject, use_id: str | None) -> Event:
        # A copy, so that what is judged is what will run, whatever the caller does meanwhile.
        # A name of its own, so that of two like calls at the same time each has its own end.
        use_id = use_id or f"call_{secrets.token_hex(8)}"
        tool = ToolCall(name=name, input=deepcopy(tool_input), use_id=use_id)
        return msgspec.structs.replace(self._before, tool=tool)

    async def _decide_now(self, event: Event) -> Decision:
        return self._engine.decide_sync(event)

    async def _run_call(self, event: Event, call: Call, decide: _Decide, settle: _Settle) -> ToolResult:
        decision = await decide(event)
        if decision.updated_input is not None:
            event = event.with_input(decision.updated_input)
        denial = await self._denial(event, decision, settle)
        if denial is not None:
            await self._tell(event.name, decision, settle)
            return denial
        begun = time.monotonic()
        output, exception = await _run_tool(call, event, settle)
        ended = _ended(event, output, exception, time.monotonic() - begun)
        after = await decide(ended)
        await self._tell(event.name, decision, settle)
        await self._tell(ended.name, after, settle)
        if exception is not None and self._raise_errors:
            raise exception
        return ToolResult(
            input=_input(event),
            output=output if after.updated_output is msgspec.UNSET else after.updated_output,
            error=ended.error,
            exception=exception,
            decision=decision,
            after=after,
        )

    async def _denial(self, event: Event, decision: Decision, settle: _Settle) -> ToolResult | None:
        if decision.vote < Vote.ASK:
            return None
        error = decision.feedback
        if decision.vote is Vote.ASK:
            # Only a plain yes counts.
            if self._approve is not None and await settle(self._approve(event, decision)) is True:
                return None
            self._engine.withdraw(event)
            error = f"Tool denied: a person must approve this first: {decision.reason}"
        return ToolResult(
            input=_input(event), error=error, denied=True, reason=decision.reason, decision=decision
        )

    async def _tell(self, event_name: str, decision: Decision, settle: _Settle) -> None:
        if self._emit is None:
            return
        for notice in executed(event_name, decision):
            await settle(self._emit(notice))


async def _run_tool(call: Call, event: Event, settle: _Settle) -> tuple[Any, Exception | None]:
    try:
        # A copy, so that later hooks see what the tool was given, even if it changes its input.
        return await settle(call(deepcopy(_input(event)))), None
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is its result, and the hooks are told
        return None, error


def _ended(event: Event, output: Any, exception: Exception | None, seconds: float) -> Event:
    event = msgspec.structs.replace(event, extra={**event.extra, "duration_ms": round(seconds * 1000, 3)})
    if exception is None:
        return msgspec.structs.replace(event, name=EventName.POST_TOOL_USE, tool_output=output)
    words = str(exception) or type(exception).__name__
    return msgspec.structs.replace(event, name=EventName.POST_TOOL_USE_FAILURE, error=words)


def _input(event: Event) -> JsonObject:
    return event.tool.input if event.tool else {}


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def _settled_now(value: Any) -> Any:
    if not inspect.isawaitable(value):
        return value
    loop = BlockingLoop()
    try:
        return loop.run(_settled(value))
    finally:
        loop.close()
