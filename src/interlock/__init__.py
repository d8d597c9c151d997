"""Interlock, the hooks engine for coding agents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.errors import ConfigError, HookError, InterlockError
    from interlock.events.decision import Decision
    from interlock.events.event import Event
    from interlock.events.hook import Hook
    from interlock.events.tool import ToolCall
    from interlock.events.verdict import Evidence, Verdict, Vote, allow, ask, deny
    from interlock.features.receipts.python_ledger import ToolLedger
    from interlock.features.receipts.records import ToolRecord
    from interlock.sdk.decorator import HookMatcher, hook
    from interlock.sdk.engine import Engine
    from interlock.sdk.registry import HookRegistry, load_hooks_from_config
    from interlock.sdk.registry_records import (
        HookContext,
        HookDefinition,
        HookEventType,
        HookHandler,
        HttpMethod,
        Inline,
        Shell,
        Webhook,
    )
    from interlock.sdk.results import Continue, HookExecuted, HookResult, ModifyInput, Reject, ToolResult
    from interlock.sdk.tool_runner import ToolRunner
    from interlock.version import __version__

__all__ = [
    "ConfigError",
    "Continue",
    "Decision",
    "Engine",
    "Event",
    "Evidence",
    "Hook",
    "HookContext",
    "HookDefinition",
    "HookError",
    "HookEventType",
    "HookExecuted",
    "HookHandler",
    "HookMatcher",
    "HookRegistry",
    "HookResult",
    "HttpMethod",
    "Inline",
    "InterlockError",
    "ModifyInput",
    "Reject",
    "Shell",
    "ToolCall",
    "ToolLedger",
    "ToolRecord",
    "ToolResult",
    "ToolRunner",
    "Verdict",
    "Vote",
    "Webhook",
    "__version__",
    "allow",
    "ask",
    "deny",
    "hook",
    "load_hooks_from_config",
]

# Loaded when first asked for: a program that only wants the version, or one record, pays for no more.
_HOMES = {
    "ConfigError": "errors",
    "Continue": "sdk.results",
    "Decision": "events.decision",
    "Engine": "sdk.engine",
    "Event": "events.event",
    "Evidence": "events.verdict",
    "Hook": "events.hook",
    "HookContext": "sdk.registry_records",
    "HookDefinition": "sdk.registry_records",
    "HookError": "errors",
    "HookEventType": "sdk.registry_records",
    "HookExecuted": "sdk.results",
    "HookHandler": "sdk.registry_records",
    "HookMatcher": "sdk.decorator",
    "HookRegistry": "sdk.registry",
    "HookResult": "sdk.results",
    "HttpMethod": "sdk.registry_records",
    "Inline": "sdk.registry_records",
    "InterlockError": "errors",
    "ModifyInput": "sdk.results",
    "Reject": "sdk.results",
    "Shell": "sdk.registry_records",
    "ToolCall": "events.tool",
    "ToolLedger": "features.receipts.python_ledger",
    "ToolRecord": "features.receipts.records",
    "ToolResult": "sdk.results",
    "ToolRunner": "sdk.tool_runner",
    "Verdict": "events.verdict",
    "Vote": "events.verdict",
    "Webhook": "sdk.registry_records",
    "__version__": "version",
    "allow": "events.verdict",
    "ask": "events.verdict",
    "deny": "events.verdict",
    "hook": "sdk.decorator",
    "load_hooks_from_config": "sdk.registry",
}

if not TYPE_CHECKING:  # a type checker that saw this would believe every name

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module `interlock` has no public name `{name}`; see `interlock.__all__`")
        value = getattr(import_module(f"interlock.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
