"""Whose settings: the files Claude Code reads its hooks from."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

MANAGED_LINUX: Final = Path("/etc/claude-code")
MANAGED_MACOS: Final = Path("/Library/Application Support/ClaudeCode")
LAUNCHER: Final = "interlock-launcher"
STATE: Final = ".claude.json"


class Scope(StrEnum):
    """Whom an entry is for; in the order of their precedence."""

    MANAGED = "managed"  # everybody on this machine
    LOCAL = "local"  # this person in this project
    PROJECT = "project"  # everybody in this project: the file is checked in
    USER = "user"  # this person in every project

    @property
    def shared(self) -> bool:
        """Whether others read the same file, so that no path of one person may stand in it."""
        return self in {Scope.MANAGED, Scope.PROJECT}


class SettingsPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the settings of every scope are."""

    user: Path
    project: Path  # the project's folder
    managed: Path
    own: Path | None = None  # the client's own file, where the user's MCP servers stand

    @property
    def servers(self) -> Path:
        """Where the client reads the MCP servers of its user."""
        return self.own or self.user.parent / STATE

    def file(self, scope: Scope) -> Path:
        """The settings file of a scope."""
        return {
            Scope.USER: self.user / "settings.json",
            Scope.PROJECT: self.project / ".claude" / "settings.json",
            Scope.LOCAL: self.project / ".claude" / "settings.local.json",
            Scope.MANAGED: self.managed / "managed-settings.json",
        }[scope]

    def launcher(self, scope: Scope) -> Path:
        """The script that a shared scope's entries run."""
        return self.file(scope).with_name(LAUNCHER)


def settings_places(
    environ: Mapping[str, str], *, home: Path, cwd: Path, platform: str, managed: Path | None = None
) -> SettingsPlaces:
    """Find the settings as the client does."""
    own = environ.get("CLAUDE_CONFIG_DIR")
    system = MANAGED_MACOS if platform == "darwin" else MANAGED_LINUX
    return SettingsPlaces(
        user=cwd / own if own else home / ".claude",
        project=cwd,
        managed=managed or system,
        own=cwd / own / STATE if own else home / STATE,
    )
