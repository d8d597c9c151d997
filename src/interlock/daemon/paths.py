"""The paths one daemon works with; it takes them as arguments and asks no environment."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from interlock.errors import InterlockError
from interlock.policy.locations import Locations, is_run_folder


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a daemon reads, writes and listens on."""

    managed_config: Path
    user_config: Path
    state: Path
    socket: Path

    @property
    def own_home(self) -> Path | None:
        """The one folder that holds everything, when INTERLOCK_HOME named one; None for the usual places."""
        together = self.state.parent == self.user_config.parent
        return self.state.parent if together and self.state.name == "state" else None

    @property
    def home(self) -> tuple[str, str, str]:
        """What tells this home from others: state, the user's policies and the machine's."""
        return str(self.state), str(self.user_config), str(self.managed_config)

    @property
    def socket_is_own(self) -> bool:
        """Whether the socket stands where no other home has its own."""
        if self.own_home is not None:
            return self.run == self.own_home / "run"
        return is_run_folder(self.run, self.state, os.getuid())

    @property
    def run(self) -> Path:
        """The private folder of the socket and the locks."""
        return self.socket.parent

    @property
    def database(self) -> Path:
        return self.state / "interlock.db"

    @property
    def log(self) -> Path:
        return self.state / "interlock.log"

    @property
    def gaps(self) -> Path:
        """Where a shim notes calls that passed while no daemon could be reached."""
        return self.state / "gaps"

    @property
    def lock(self) -> Path:
        """Held by the one running daemon."""
        return self.run / "daemon.lock"

    @property
    def start_lock(self) -> Path:
        """Held while a daemon is being started or replaced."""
        return self.run / "start.lock"

    def arguments(self) -> list[str]:
        """The same places as command-line arguments of `python -m interlock.daemon run`."""
        return [
            f"--managed-config={self.managed_config}",
            f"--user-config={self.user_config}",
            f"--state={self.state}",
            f"--socket={self.socket}",
        ]


def places_of(locations: Locations) -> Places:
    """The daemon's places for a person's locations."""
    return Places(
        managed_config=locations.managed_config,
        user_config=locations.user_config,
        state=locations.state,
        socket=locations.socket,
    )


def places_from(arguments: list[str]) -> Places:
    """Read the arguments `Places.arguments` wrote."""
    given = dict(argument.removeprefix("--").split("=", 1) for argument in arguments if "=" in argument)
    try:
        return Places(
            managed_config=Path(given["managed-config"]),
            user_config=Path(given["user-config"]),
            state=Path(given["state"]),
            socket=Path(given["socket"]),
        )
    except KeyError as missing:
        raise InterlockError(
            f"the daemon needs --{missing.args[0]}=PATH; start it with `interlock daemon start`"
        ) from None
