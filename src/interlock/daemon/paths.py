"""The paths of one daemon, which it gets as arguments; its private folders and its locks."""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.policy.locations import Locations, is_run_folder


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """The files, folders and socket of a daemon."""

    managed_config: Path
    user_config: Path
    state: Path
    socket: Path

    @property
    def own_home(self) -> Path | None:
        """The folder that INTERLOCK_HOME names and that holds everything; None for the default folders."""
        together = self.state.parent == self.user_config.parent
        return self.state.parent if together and self.state.name == "state" else None

    @property
    def home(self) -> tuple[str, str, str]:
        """Identifies this home: the folders of state, the user's policies and the machine's."""
        return str(self.state), str(self.user_config), str(self.managed_config)

    @property
    def socket_is_own(self) -> bool:
        """Whether no other home has its socket in this folder."""
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
        """Where a shim notes calls that passed while it could not reach a daemon."""
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
        """These paths as arguments of `python -m interlock.daemon run`."""
        return [f"--{name.replace('_', '-')}={path}" for name, path in msgspec.structs.asdict(self).items()]


def places_of(locations: Locations) -> Places:
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
        return Places(**{name: Path(given[name.replace("_", "-")]) for name in Places.__struct_fields__})
    except KeyError as missing:
        raise InterlockError(
            f"the daemon needs --{missing.args[0]}=PATH; start it with `interlock daemon start`"
        ) from None


MAX_SOCKET_PATH = 104


def make_private(folder: Path) -> None:
    """Make a folder of mode 0700; refuse a link, another user's folder, or one open to others."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.lstat()
    except FileExistsError:
        raise InterlockError(f"`{folder}` is not a folder; remove it") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InterlockError(f"cannot create `{folder}`: {reason}; choose another home") from error
    if not stat.S_ISDIR(found.st_mode):
        raise InterlockError(f"`{folder}` is not a folder; remove it")
    if found.st_uid != os.getuid():
        raise InterlockError(f"`{folder}` belongs to another user; remove it or choose another home")
    if found.st_mode & 0o077:
        raise InterlockError(f"other users can open `{folder}`; run `chmod 700 {folder}`")


def check_socket_path(path: Path) -> None:
    """Refuse a path that the kernel would cut off, or one where anything but a socket exists."""
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise InterlockError(
            f"the socket path `{path}` is longer than {MAX_SOCKET_PATH} bytes; choose a shorter home"
        )
    with suppress(OSError):  # nothing is there, as it should be
        if not stat.S_ISSOCK(path.lstat().st_mode):
            # A link would let its maker choose who receives the calls, or which file is removed.
            raise InterlockError(f"`{path}` is a link or not a socket; check it and remove it")


class FileLock:
    """An exclusive lock on a file; the file itself is never removed."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._file: int | None = None

    def take(self) -> bool:
        """Take the lock; False if another process holds it."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def sign(self, text: str) -> None:
        """Write the holder into the file, for people to read."""
        if self._file is not None:
            with suppress(OSError):  # on a full disk the lock still holds
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, text.encode(), 0)

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
