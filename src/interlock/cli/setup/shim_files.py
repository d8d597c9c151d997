"""The files outside the package that agents need: the shim, its launch files and the command line."""

from __future__ import annotations

import os
import stat
import sys
import sysconfig
from pathlib import Path
from typing import Final

import msgspec

from interlock.daemon.launcher import daemon_command, daemon_environment
from interlock.daemon.paths import Places
from interlock.files.own_files import write_whole
from interlock.hosts.launching import ENTRY_FILE, SHIM, Installation, Launch, program_text, shim_program

_PROGRAM: Final = 0o755
_PRIVATE: Final = 0o600


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it should be."""

    path: Path
    content: bytes
    mode: int

    @property
    def stale(self) -> bool:
        """Whether what is there is anything else."""
        try:
            mode = stat.S_IMODE(self.path.stat().st_mode)
            return mode != self.mode or self.path.read_bytes() != self.content
        except OSError:
            return True

    def write(self) -> None:
        """Put it there in one step: a shim that runs meanwhile is not disturbed."""
        write_whole(self.path, self.content, mode=self.mode, follow=True)


def launch_of(places: Places) -> Launch:
    """How the shim finds and starts the daemon of these places."""
    return Launch(
        socket=str(places.socket),
        state=str(places.state),
        start_lock=str(places.start_lock),
        argv=tuple(daemon_command(places)),
        environment=daemon_environment(),
    )


def runtime_files(installed: Installation, places: Places) -> list[Placed]:
    """The shim of this package, the launch files it reads, and the command line beside it."""
    text = launch_of(places).text().encode("utf-8", "surrogateescape")
    launches = (Placed(path=file, content=text, mode=_PRIVATE) for file in installed.launch_files)
    return [our_shim(installed), our_program(installed), *launches]


def token_file(state: Path, token: str) -> Placed:
    """Where the token is kept, so that every entry carries the same one."""
    return Placed(path=state / ENTRY_FILE, content=f"{token}\n".encode(), mode=_PRIVATE)


def our_program(installed: Installation) -> Placed:
    """The command line beside the shim: what texts for agents name where their PATH lacks it."""
    content = program_text(installed, sys.executable, os.environ)
    return Placed(path=installed.program, content=content, mode=_PROGRAM)


def our_shim(installed: Installation) -> Placed:
    """The shim that came with this package, in its place."""
    folders = (Path(sys.executable).parent, Path(sysconfig.get_path("scripts")))
    beside = next((folder for folder in folders if (folder / SHIM).exists()), folders[0])
    program = shim_program(beside, sys.executable, os.environ)
    return Placed(path=installed.shim, content=program, mode=_PROGRAM)
