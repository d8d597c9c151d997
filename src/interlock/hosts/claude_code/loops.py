"""How often Claude Code lets hooks send a turn back: its own cap, raised by a variable in its settings."""

from __future__ import annotations

from typing import Final

from interlock.hosts.claude_code.settings import Settings
from interlock.hosts.claude_code.variables import with_variable, without_variable

_CAP: Final = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


def with_loops(settings: Settings, rounds: int) -> Settings:
    """The file with a cap one above our rounds: one is left for hooks that are not ours."""
    return with_variable(settings, _CAP, str(rounds + 1))


def without_loops(settings: Settings, rounds: int) -> Settings:
    """The file without our cap; one that somebody changed since is theirs."""
    return without_variable(settings, _CAP, str(rounds + 1))
