"""Hooks registered one by one and run in that order, by the rules of the `hooks.toml` document to the letter.

The engine's rules are stricter; use `Engine` unless a program was written for these.
"""

from __future__ import annotations

import inspect
import logging
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.engine.decision_builder import HookRun
from interlock.engine.engine import BlockingLoop, Deadline, run
from interlock.errors import ConfigError, Problem
from interlock.events.event import Event
from interlock.events.hook import MAX_TIMEOUT, Dialect, Handler, Hook, OnFailure
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Outcome, Verdict, Vote, deny
from interlock.handlers.answers import NEW_INPUT, REGISTRY
from interlock.handlers.command import CommandHandler
from interlock.handlers.environment import check_pass_env
from interlock.handlers.function import FunctionHandler, is_async
from interlock.handlers.webhook import WebhookHandler
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import Everything
from interlock.policy.files.read import FileKind, kind_of
from interlock.sdk.registry_records import (
    EVENT_TYPES,
    HookContext,
    HookDefinition,
    HookEventType,
    HookHandler,
    HttpMethod,
    Inline,
    Shell,
    Webhook,
    event_type,
)
from interlock.sdk.results import CONTINUE, HookResult, ModifyInput, Reject


def make_hook(definition: HookDefinition, ctx: HookContext, environ: Mapping[str, str]) -> Hook:
    """The definition as a hook for this one context; raise ValueError for one that can never run."""
    return Hook(
        name=str(definition.name),
        events=(definition.event,),
        handler=_handler(definition, ctx, environ),
        matcher=Everything("*"),  # the registry has matched already, by its own rule
        timeout=definition.timeout or MAX_TIMEOUT,
        # A script's garbage passes; a function that raises or answers nonsense has a defect, and rejects.
        on_failure=OnFailure.CLOSED if isinstance(definition.handler, Inline) else None,
        dialect=Dialect.HOOKS_TOML,
    )


def make_event(ctx: HookContext) -> Event:
    """The context as an event, under the name that the registry uses."""
    tool, extra = None, {}
    if ctx.tool_name is not None:
        tool = ToolCall(name=ctx.tool_name, input={} if ctx.tool_input is None else ctx.tool_input)
    elif ctx.tool_input is not None:
        extra = {"tool_input": ctx.tool_input}  # without a name there is no tool, but hooks see its input
    return Event(
        name=str(ctx.event),
        session_id=ctx.session_id,
        cwd=str(ctx.cwd),
        host=REGISTRY,
        tool=tool,
        tool_output=ctx.tool_output,
        error=ctx.error,
        prompt=ctx.user_prompt,
        agent_id=ctx.agent_id,
        extra=extra,
    )


def _handler(definition: HookDefinition, ctx: HookContext, environ: Mapping[str, str]) -> Handler:
    match definition.handler:
        case Shell() as shell:
            given = tuple(name for name in ctx.env if _passable(name))
            return CommandHandler(
                shell.command,
                pass_context=shell.pass_context,
                parse_result=shell.parse_result,
                dialect=Dialect.HOOKS_TOML,
                pass_env=(*shell.pass_env, *given),
                base_env={**environ, **ctx.env},
                path=environ.get("PATH", os.defpath),
            )
        case Webhook() as webhook:
            return WebhookHandler(
                webhook.url,
                method="PUT" if webhook.method is HttpMethod.PUT else "POST",
                headers=webhook.headers,
                allow_private=webhook.allow_private,
                dialect=Dialect.HOOKS_TOML,
                pass_env=webhook.pass_env,
                base_env=environ,
            )
        case Inline() as inline:
            return FunctionHandler(_wrap_callback(inline, _own_copy(ctx)), name=str(definition.name))


def _passable(name: str) -> bool:
    try:
        check_pass_env((name,))
    except ValueError:
        return False
    return True


def _wrap_callback(inline: Inline, ctx: HookContext) -> Callable[[Event], Any]:
    callback: Callable[[HookContext], Any] = inline.callback

    async def later(result: Awaitable[Any]) -> Any:
        return _verdict(await result)

    async def ask_async(_: Event) -> Any:
        return _verdict(await callback(ctx))

    def ask(_: Event) -> Any:
        result = callback(ctx)
        return later(result) if inspect.isawaitable(result) else _verdict(result)

    return ask_async if is_async(callback) else ask


def _verdict(result: Any) -> Any:
    """A result as a verdict; anything else is left to the reader of answers."""
    match result:
        case Reject(reason):
            return deny(reason)
        case ModifyInput(new_input):
            return Verdict(updated_input={NEW_INPUT: new_input})
        case HookResult():
            return NO_OPINION
    return result


def _own_copy(ctx: HookContext) -> HookContext:
    # A callback that writes into what it is given must not change the input behind the others' backs.
    output = ctx.tool_output
    return msgspec.structs.replace(
        ctx,
        tool_input=deepcopy(ctx.tool_input),
        tool_output=deepcopy(output) if isinstance(output, dict | list) else output,
        env=dict(ctx.env),
    )


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
        make_hook(hook, HookContext(), self._environ)
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
        hook = make_hook(definition, ctx, self._environ)
        view = LocalCallView(make_event(ctx), _NO_PATTERNS)
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


def load_hooks_from_config(
    path: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None
) -> HookRegistry:
    """Read a `hooks.toml`; raise ConfigError for what is unreadable, wrong, or more than a registry does."""
    if kind_of(Path(path)) is not FileKind.HOOKS:
        message = "a registry is made from a `hooks.toml`; load this file with `Engine(files=[…])`"
        raise ConfigError((Problem(file=str(path), line=1, path="", message=message),))
    from interlock.sdk.policy_files import read_policy

    hooks = read_policy([path], environ).hooks
    problems = tuple(
        Problem(file=hook.source.file, line=hook.source.line, path="", message=message)
        for hook in hooks
        for message in _beyond(hook)
    )
    if problems:
        raise ConfigError(problems)
    registry = HookRegistry(environ=environ)
    for hook in hooks:
        registry.register(_definition(hook))
    return registry


def _beyond(hook: Hook) -> Iterator[str]:
    """What this entry asks for that a registry would silently not do."""
    instead = "load the file with `Engine(files=[…])` for that"
    if any(name not in EVENT_TYPES for name in hook.events):
        yield f"`{hook.name}` is for `{hook.events[0]}`, which a registry does not know; {instead}"
    if hook.matcher.needs_tool and set("|(/") & set(hook.matcher.text):
        yield f"`{hook.matcher.text}` is neither a tool's name nor the start of one with `*`; {instead}"
    unknown = {
        "if": hook.condition is not None,
        "on_failure": hook.on_failure is not None,
        "mode": hook.shadow,
        "observe": hook.observe,
        "auto_approve": hook.auto_approve,
        "rejudge": not hook.rejudge,
    }
    for key, used in unknown.items():
        if used:
            yield f"`{hook.name}` uses `{key}`, which a registry does not know; {instead}"


def _definition(hook: Hook) -> HookDefinition:
    return HookDefinition(
        event=event_type(hook.events[0]),
        handler=_file_handler(hook.handler),
        once=hook.once,
        timeout=hook.timeout,
        name=hook.name,
        tool_matcher=None if isinstance(hook.matcher, Everything) else hook.matcher.text,
    )


def _file_handler(handler: Handler) -> HookHandler:
    match handler:
        case CommandHandler():
            return Shell(
                command=handler.command,
                pass_context=handler.pass_context,
                parse_result=handler.parse_result,
                pass_env=handler.pass_env,
            )
        case WebhookHandler():
            return Webhook(
                url=handler.url,
                method=HttpMethod(handler.method),
                headers=handler.headers,
                pass_env=handler.pass_env,
                allow_private=handler.allow_private,
            )
    raise AssertionError(f"a `hooks.toml` has no handler of kind `{handler.kind}`")
