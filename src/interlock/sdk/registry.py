"""Hooks registered one by one and run in that order, by the rules of the `hooks.toml` document to the letter.

The engine's rules are stricter; use `Engine` unless a program was written for these.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Final

import msgspec

from interlock.engine.runner import Deadline, HookRun, run
from interlock.engine.sync_loop import BlockingLoop
from interlock.events.verdict import Outcome, Vote
from interlock.handlers.answers import NEW_INPUT
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.sdk.hook_result import CONTINUE, HookResult, ModifyInput, Reject
from interlock.sdk.registry_handlers import event_of, hook_of
from interlock.sdk.registry_records import HookContext, HookDefinition, HookEventType, event_type

logger = logging.getLogger(__name__)

_NO_PATTERNS: Final = PatternIndex(())
_REGISTERED: Final = "`HookDefinition(event=HookEventType.PRE_TOOL_USE, handler=Inline(function))`"


class HookRegistry:
    """Maps an event to its hooks, in the order they were registered."""

    def __init__(self, *, environ: Mapping[str, str] | None = None) -> None:
        """Take the environment commands and headers may draw on; this process's own by default."""
        self._environ: Final = dict(os.environ if environ is None else environ)
        self._hooks: Final[dict[HookEventType, list[HookDefinition]]] = {}

    def hooks(self, event: HookEventType) -> tuple[HookDefinition, ...]:
        """The definitions for an event, in the order they run."""
        return tuple(self._hooks.get(event_type(event), ()))

    def register(self, hook: HookDefinition) -> None:
        """Append a definition; raise TypeError or ValueError when it could never run."""
        if not isinstance(hook, HookDefinition):
            raise TypeError(f"`{hook!r:.80}` is not a `HookDefinition`; wrap it: {_REGISTERED}")
        hook_of(hook, HookContext(), self._environ)
        self._hooks.setdefault(hook.event, []).append(hook)

    async def execute(self, event: HookEventType, ctx: HookContext) -> HookResult:
        """Run the matching hooks one after another; the first rejection ends the chain."""
        current = ctx
        for definition in self.hooks(event):
            if not definition.meant_for(current.tool_name):
                continue
            result = await self._run(definition, current)
            if isinstance(result, Reject):
                return result
            if isinstance(result, ModifyInput):
                current = msgspec.structs.replace(current, tool_input=result.new_input)
        return CONTINUE if current.tool_input == ctx.tool_input else ModifyInput(current.tool_input)

    def execute_sync(self, event: HookEventType, ctx: HookContext) -> HookResult:
        """The same for callers without an event loop."""
        loop = BlockingLoop()
        try:
            return loop.run(self.execute(event, ctx))
        finally:
            loop.close()

    def cleanup_once_hooks(self) -> None:
        """Remove every definition with `once`, whether it has run or not."""
        for definitions in self._hooks.values():
            definitions[:] = [one for one in definitions if not one.once]

    async def _run(self, definition: HookDefinition, ctx: HookContext) -> HookResult:
        hook = hook_of(definition, ctx, self._environ)
        view = LocalCallView(event_of(ctx), _NO_PATTERNS)
        return _result(definition, await run(hook, view, Deadline(hook.timeout)))


def _result(definition: HookDefinition, ran: HookRun) -> HookResult:
    if ran.outcome is Outcome.TIMEOUT:
        logger.warning("Hook timeout: %s", definition.name)
        return CONTINUE
    if ran.passed_open:
        logger.warning("Hook answer ignored, it is not a result: %s", definition.name)
    verdict = ran.verdict
    if verdict.vote >= Vote.ASK:  # a registry has nobody to ask
        return Reject(verdict.reason or "")
    changed = verdict.updated_input
    return CONTINUE if changed is None else ModifyInput(changed.get(NEW_INPUT, changed))
