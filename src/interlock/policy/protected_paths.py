"""What an agent's call may not touch: the gate's own files and the settings that make hosts ask it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from interlock.effects.effect import EffectKind
from interlock.events.hook import Pattern
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.policy.hook_variables import FILE as HOOK_ENVIRONMENT
from interlock.policy.locations import MANAGED, SEARCH, Locations, locate
from interlock.redaction.marks import KEY_FILE as REDACTION_KEY

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
# The folders of those files: moving or replacing one changes the files in it.
HOST_FOLDERS: Final = tuple(
    f".{name}" for name in "claude codex cursor gemini qwen copilot factory opencode".split()
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
        return (*self.folders, *(f"{self.home}/{name}" for name in inner))

    def denied(self) -> Iterator[Pattern]:
        """What may not be changed or, where it is secret, read; what only deleting reaches comes last."""
        globs = tuple(dict.fromkeys(self._unchanging()))
        yield from (_pattern(EffectKind.WRITE, glob) for glob in globs)
        yield from (_pattern(EffectKind.READ, glob) for glob in (*self.unreadable, self.secret) if glob)
        # Deleting a folder deletes the settings in it, also in a home.
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


_MOST: Final = 1_000  # entries of one folder that are looked at


def links_out_of(folders: Iterable[Path], home: Path) -> tuple[str, ...]:
    """What the links in these folders, and those to a host's settings in a home, lead to, as globs."""
    found = [real for folder in folders for real in _linked_in(folder)]
    targets = dict.fromkeys((*found, *_settings(home)))
    return tuple(f"{real}/**" if Path(real).is_dir() else real for real in targets)


def _linked_in(folder: Path) -> Iterator[str]:
    entries = (Path(above, name) for above, inner, files in os.walk(folder) for name in (*inner, *files))
    for entry in islice(entries, _MOST):
        if entry.is_symlink():
            yield os.path.realpath(entry)


def _settings(home: Path) -> Iterator[str]:
    """Those that would lie elsewhere if nothing on the way was a link; they need not be there yet."""
    own = os.path.realpath(home)
    for folder, names in IN_HOST_FOLDERS.items():
        for name in names:
            real = os.path.realpath(home / folder / name)
            if real != f"{own}/{folder}/{name}":
                yield real


KEYS = "keys"  # below the state folder
SIGNING_KEY = "ledger-signing.key"
LOCK = "daemon.lock"  # beside the socket


def guarded_here(environ: Mapping[str, str]) -> Guarded:
    """The places of the user who runs this process."""
    home = Path.home()
    locations = locate(environ, home=home, cwd=Path("/"), uid=os.getuid())
    return guarded_at(locations, environ, home=home)


def guarded_at(
    locations: Locations, environ: Mapping[str, str], *, home: Path, settings: Sequence[str] = ()
) -> Guarded:
    """The places of an installation; `settings` are the hosts' files our entries stand in."""
    state, run = locations.state, locations.socket.parent
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    folders = (MANAGED, locations.managed_config, locations.user_config, state, run, data / "interlock")
    # One folder that holds everything, when INTERLOCK_HOME names one.
    together = (state.parent,) if state.parent == locations.user_config.parent else ()
    return Guarded(
        home=str(home),
        folders=tuple(dict.fromkeys(map(str, (*together, *folders, *_package())))),
        files=(*_service_files(home), *settings),
        linked=links_out_of((locations.managed_config, locations.user_config), home),
        unreadable=(
            *(f"{locations.database}{ending}" for ending in ("", "-wal", "-shm", "*")),
            f"{state}/{SEARCH}*",
            f"{state}/{KEYS}/**",
            f"{state}/{PASSPHRASE}*",
            f"{state}/{REDACTION_KEY}",
            f"{state}/{HOOK_ENVIRONMENT}",
            f"{state}/{SIGNING_KEY}",
        ),
        secret=str(state),
        socket=str(locations.socket),
        lock=str(run / LOCK),
    )


def _service_files(home: Path) -> tuple[str, ...]:
    return (
        f"{home}/.config/systemd/user/interlock.service",
        f"{home}/.config/systemd/user/interlock.service.d/**",
        f"{home}/Library/LaunchAgents/dev.interlock.daemon.plist",
    )


def _package() -> tuple[Path, ...]:
    """Where our own code is installed; a checkout that is worked on is its people's."""
    folder = Path(__file__).resolve().parents[1]
    return (folder,) if {"site-packages", "dist-packages"} & set(folder.parts) else ()
