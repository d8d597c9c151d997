"""From a registry's definition and context to the hook and event the running room knows."""

from __future__ import annotations

import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from typing import Any

import msgspec

from interlock.events.event import Event
from interlock.events.hook import MAX_TIMEOUT, Dialect, Handler, Hook, OnFailure
from interlock.events.tool import ToolCall
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.handlers.answers import NEW_INPUT, REGISTRY
from interlock.handlers.command import CommandHandler
from interlock.handlers.environment import check_pass_env
from interlock.handlers.function import FunctionHandler, is_async
from interlock.handlers.webhook import WebhookHandler
from interlock.patterns.matcher import Everything
from interlock.sdk.hook_result import HookResult, ModifyInput, Reject
from interlock.sdk.registry_records import HookContext, HookDefinition, HttpMethod, Inline, Shell, Webhook


def hook_of(definition: HookDefinition, ctx: HookContext, environ: Mapping[str, str]) -> Hook:
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


def event_of(ctx: HookContext) -> Event:
    """The context as an event, under the name the registry uses for it."""
    # Without a tool's name there is no tool, but whoever runs should still see the input.
    lone_input = ctx.tool_name is None and ctx.tool_input is not None
    return Event(
        name=str(ctx.event),
        session_id=ctx.session_id,
        cwd=str(ctx.cwd),
        host=REGISTRY,
        tool=None if ctx.tool_name is None else ToolCall(name=ctx.tool_name, input=_known(ctx.tool_input)),
        tool_output=ctx.tool_output,
        error=ctx.error,
        prompt=ctx.user_prompt,
        agent_id=ctx.agent_id,
        extra={"tool_input": ctx.tool_input} if lone_input else {},
    )


def _known(tool_input: Any) -> Any:
    return {} if tool_input is None else tool_input


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
            return FunctionHandler(_asked(inline, _own_copy(ctx)), name=str(definition.name))


def _passable(name: str) -> bool:
    try:
        check_pass_env((name,))
    except ValueError:
        return False
    return True


def _asked(inline: Inline, ctx: HookContext) -> Callable[[Event], Any]:
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
