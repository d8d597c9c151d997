"""Hooks that ask a model, with the scripted one on loopback as that model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clients.model_server import ModelServer
from clients.turns import say
from tests.builtin_hooks.making import made

from interlock.builtin_hooks.model.settings import ModelPlace
from interlock.engine.engine import Engine
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


def answering(*texts: str) -> ModelServer:
    """A model that answers questions without tools by these texts, one after the other."""
    return ModelServer([], side=[say(text) for text in texts])


def asking(
    kind: str,
    server: ModelServer,
    config: Mapping[str, Any],
    *,
    event: str = "pre_tool_use",
    memory: Memory | None = None,
    place: Mapping[str, Any] | None = None,
    home: Path | None = None,
    **entry: Any,
) -> Engine:
    """An engine whose one hook asks that model."""
    known = ModelPlace(base_url=server.address, model="scripted", **(place or {}))
    environ = {"ANTHROPIC_API_KEY": "sk-of-a-test", "PATH": "/usr/bin:/bin", "HOME": str(home or "/nowhere")}
    services = HookServices({Memory: memory or MemoryInProcess()})
    return made(kind, event, config, environ=environ, services=services, settings={"model": known}, **entry)
