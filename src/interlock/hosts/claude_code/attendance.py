"""Is somebody there? Whether Claude Code's own permission prompt would reach a person."""

from __future__ import annotations

from typing import Final

from interlock.events.event import Event

# The terminal client; every other entry point (SDKs, `-p`) runs without a prompt.
_INTERACTIVE: Final = "cli"
# The other modes answer by themselves, or have approved a hook's question without showing it.
_ASKING_MODES: Final = frozenset({"default", "acceptEdits", "plan"})


def attended(event: Event) -> bool:
    """Whether a person can answer; what is not known counts as nobody."""
    return event.extra.get("entrypoint") == _INTERACTIVE and event.permission_mode in _ASKING_MODES
