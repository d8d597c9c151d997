"""Built-in hooks in an engine of their own, and the events they are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.policy.compile.compile import trial_engine
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess
from interlock.policy.hook_kinds import ours
from interlock.policy.settings_part import NOTHING_SET


def made(
    kind: str,
    event: str,
    config: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    services: HookServices | None = None,
    settings: Mapping[str, Any] = NOTHING_SET,
    **entry: Any,
) -> Engine:
    """An engine with one entry of a kind, compiled from a policy; what it remembers lasts as long as it."""
    known = services or HookServices({Memory: MemoryInProcess()})
    return trial_engine(
        ours(kind), event, config, environ=environ, services=known, settings=settings, **entry
    )


def bash(command: object, cwd: object = "/", *, session: str = "s", **more: Any) -> Event:
    """A shell call."""
    tool = ToolCall(name="Bash", input={"command": command, **more})
    return Event(name="PreToolUse", session_id=session, cwd=str(cwd), tool=tool)


def prompt(text: str | None, cwd: object = "/", *, session: str = "s") -> Event:
    """A prompt of the person."""
    return Event(name="UserPromptSubmit", session_id=session, cwd=str(cwd), prompt=text)


def command_after(decision: Decision) -> str | None:
    """The command a decision puts in the place of what was written; None: it stays."""
    return decision.updated_input["command"] if decision.updated_input else None
