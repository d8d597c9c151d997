"""The places self-protection guards, and the hook that stands first in every loaded policy."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from interlock.builtin_hooks.self_protection.linked_paths import links_out_of
from interlock.builtin_hooks.self_protection.protected_paths import Guarded
from interlock.files.passphrase import PASSPHRASE
from interlock.policy.hook_variables import FILE as HOOK_ENVIRONMENT
from interlock.policy.locations import MANAGED, SEARCH, Locations, locate
from interlock.redaction.key import FILE as REDACTION_KEY

KEYS = "keys"  # below the state folder
SIGNING_KEY = "ledger-signing.key"
LOCK = "daemon.lock"  # beside the socket


def guarded_here(environ: Mapping[str, str]) -> Guarded:
    """The places of whoever loads a policy."""
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
    folder = Path(__file__).resolve().parents[2]
    return (folder,) if {"site-packages", "dist-packages"} & set(folder.parts) else ()
