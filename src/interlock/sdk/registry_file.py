"""A `HookRegistry` from a `hooks.toml`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from interlock.errors import ConfigError, Problem
from interlock.events.hook import Handler, Hook
from interlock.events.names import parse_event_name
from interlock.handlers.command import CommandHandler
from interlock.handlers.webhook import WebhookHandler
from interlock.patterns.matcher import Everything
from interlock.policy.files.read import FileKind, kind_of
from interlock.sdk.policy_files import read_policy
from interlock.sdk.registry import HookRegistry
from interlock.sdk.registry_records import (
    HookDefinition,
    HookEventType,
    HookHandler,
    HttpMethod,
    Shell,
    Webhook,
)

_EVENTS: Final = {parse_event_name(name): name for name in HookEventType}


def load_hooks_from_config(
    path: str | os.PathLike[str], *, environ: Mapping[str, str] | None = None
) -> HookRegistry:
    """Read a `hooks.toml`; raise ConfigError for what is unreadable, wrong, or more than a registry does."""
    if kind_of(Path(path)) is not FileKind.HOOKS:
        message = "a registry is made from a `hooks.toml`; load this file with `Engine(files=[…])`"
        raise ConfigError((Problem(file=str(path), line=1, path="", message=message),))
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
    if any(name not in _EVENTS for name in hook.events):
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
        event=_EVENTS[parse_event_name(hook.events[0])],
        handler=_handler(hook.handler),
        once=hook.once,
        timeout=hook.timeout,
        name=hook.name,
        tool_matcher=None if isinstance(hook.matcher, Everything) else hook.matcher.text,
    )


def _handler(handler: Handler) -> HookHandler:
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
