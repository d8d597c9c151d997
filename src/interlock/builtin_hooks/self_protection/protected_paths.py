"""What an agent's call may not touch: the gate's own files and the settings that make hosts ask it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from interlock.effects.effect import EffectKind
from interlock.events.hook import Pattern

# The files that hold the hooks of every host we know, below a home or a project, and their managed places.
HOST_SETTINGS: Final[dict[str, tuple[str, ...]]] = {
    "Claude Code": (
        "**/.claude/settings.json",
        "**/.claude/settings.local.json",
        "**/.claude/settings*.json.interlock-*",
        "**/.claude/interlock-launcher",
        # What is installed of plugins, and what makes a skill one: their hooks are hooks of the host.
        "**/.claude/plugins/*.json",
        "**/.claude/plugins/cache/**",
        "**/.claude/plugins/marketplaces/**",
        "**/.claude/skills/*/hooks/**",
        "**/.claude/skills/*/.claude-plugin/**",
        "/etc/claude-code/**",
        "/Library/Application Support/ClaudeCode/**",
    ),
    "Codex": ("**/.codex/hooks.json", "**/.codex/config.toml", "/etc/codex/**"),
    "Cursor": (
        "**/.cursor/hooks.json",
        "**/.cursor/cli-config.json",
        "/etc/cursor/**",
        "/Library/Application Support/Cursor/hooks.json",
    ),
    "Gemini CLI": ("**/.gemini/settings.json", "**/.gemini/trusted_hooks.json", "/etc/gemini-cli/**"),
    "Qwen Code": ("**/.qwen/settings.json", "/etc/qwen-code/**"),
    "Copilot CLI": ("~/.copilot/hooks/**", "~/.copilot/settings.json", "/etc/github-copilot/**"),
    "Factory": ("**/.factory/hooks.json", "**/.factory/settings.json"),
    "OpenCode": ("~/.config/opencode/plugin/**", "**/.opencode/plugin/**"),
}
# The folders of those files: whoever moves one away or puts another in its place changes what is in it.
HOST_FOLDERS: Final = tuple(
    f".{name}"
    for name in "claude codex cursor gemini qwen copilot factory opencode".split()  # noqa: SIM905 - a row of names
)
# What holds the hooks in each of those: a folder that comes with any of it brings hooks or takes them away.
IN_HOST_FOLDERS: Final[dict[str, tuple[str, ...]]] = {
    folder: tuple(
        inner.removesuffix("/**")
        for globs in HOST_SETTINGS.values()
        for inner in (glob.partition(f"/{folder}/")[2] for glob in globs)
        if inner and "*" not in inner.removesuffix("/**")
    )
    for folder in HOST_FOLDERS
}
PROJECT_POLICY: Final = ("**/.interlock/**", "**/.interlock", "**/.mentu/genesis.key")

_PLUGINS: Final = (".claude/plugins", ".claude/plugins/cache", ".claude/plugins/marketplaces")
_CHANGES: Final = (EffectKind.WRITE, EffectKind.DELETE)


class Guarded(msgspec.Struct, frozen=True, kw_only=True):
    """The gate's own places on one machine."""

    home: str
    folders: tuple[str, ...]  # policy, state, socket, shim: nothing in them changes
    files: tuple[str, ...] = ()  # service and launch files, settings installed elsewhere
    linked: tuple[str, ...] = ()  # what links in those places lead to, as globs
    unreadable: tuple[str, ...] = ()  # ledger and keys, as globs
    secret: str = ""  # the folder that holds them
    socket: str = ""
    lock: str = ""  # names the daemon's process

    @property
    def places(self) -> tuple[str, ...]:
        """What has one place on this machine: our folders, and the settings of hosts in the home."""
        inner = (f"{folder}/{name}" for folder, names in IN_HOST_FOLDERS.items() for name in names)
        return (*self.folders, *(f"{self.home}/{one}" for one in inner))

    def denied(self) -> Iterator[Pattern]:
        """What may not be changed or, where it is secret, read; what only deleting reaches comes last."""
        globs = tuple(dict.fromkeys(self._unchanging()))
        yield from (_pattern(EffectKind.WRITE, glob) for glob in globs)
        yield from (_pattern(EffectKind.READ, glob) for glob in (*self.unreadable, self.secret) if glob)
        # In a home also the folders above go with what is in them.
        names = (*HOST_FOLDERS, *_PLUGINS)
        folders = (glob for name in names for glob in (f"**/{name}", f"{self.home}/{name}"))
        yield from (_pattern(EffectKind.DELETE, glob) for glob in (*globs, *folders))

    def asked(self) -> Iterator[Pattern]:
        """A project's policy: people edit it with an agent's help, and every change waits for trust."""
        return (_pattern(kind, glob) for glob in PROJECT_POLICY for kind in _CHANGES)

    def hard_links(self) -> tuple[str, ...]:
        """What may have another name on the disk: a project's settings and those of the home too."""
        globs = list(self._unchanging())
        in_home = [f"{self.home}/{glob.removeprefix('**/')}" for glob in globs if glob.startswith("**/")]
        return tuple(dict.fromkeys((*globs, *in_home)))

    def _unchanging(self) -> Iterator[str]:
        yield from (f"{folder}/**" for folder in self.folders)
        yield from (*self.files, *self.linked)
        for globs in HOST_SETTINGS.values():
            yield from (f"{self.home}{glob[1:]}" if glob.startswith("~/") else glob for glob in globs)


def _pattern(kind: EffectKind, glob: str) -> Pattern:
    return Pattern(text=f"{kind}({glob})", tool=kind, glob=glob, effect=True)
