"""Interlock, the hooks engine for coding agents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interlock.decision import Decision
    from interlock.errors import ConfigError, InterlockError
    from interlock.event import Event
    from interlock.hooks import Hook
    from interlock.sdk.decorator import hook
    from interlock.sdk.engine import Engine
    from interlock.sdk.hook_executed import HookExecuted
    from interlock.sdk.hook_matcher import HookMatcher
    from interlock.sdk.registry import HookRegistry
    from interlock.sdk.tool_result import ToolResult
    from interlock.sdk.tool_runner import ToolRunner
    from interlock.tool import ToolCall
    from interlock.verdict import Evidence, Verdict, Vote, allow, ask, deny
    from interlock.version import __version__

__all__ = [
    "ConfigError",
    "Decision",
    "Engine",
    "Event",
    "Evidence",
    "Hook",
    "HookExecuted",
    "HookMatcher",
    "HookRegistry",
    "InterlockError",
    "ToolCall",
    "ToolResult",
    "ToolRunner",
    "Verdict",
    "Vote",
    "__version__",
    "allow",
    "ask",
    "deny",
    "hook",
]

# Loaded when first asked for: a program that only wants the version, or one record, pays for no more.
_HOMES = {
    "ConfigError": "errors",
    "Decision": "decision",
    "Engine": "sdk.engine",
    "Event": "event",
    "Evidence": "verdict",
    "Hook": "hooks",
    "HookExecuted": "sdk.hook_executed",
    "HookMatcher": "sdk.hook_matcher",
    "HookRegistry": "sdk.registry",
    "InterlockError": "errors",
    "ToolCall": "tool",
    "ToolResult": "sdk.tool_result",
    "ToolRunner": "sdk.tool_runner",
    "Verdict": "verdict",
    "Vote": "verdict",
    "__version__": "version",
    "allow": "verdict",
    "ask": "verdict",
    "deny": "verdict",
    "hook": "sdk.decorator",
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
