"""What a host starts: the installed shim, its token, and the launch file that names the daemon."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.files.own_files import bundled_file
from interlock.policy.locations import Locations, locate
from interlock.version import __version__

ENTRY_FILE: Final = "entry-token"  # in the state folder
_OPTION: Final = "--token="
_FORM: Final = re.compile(r"[0-9a-f]{32}")


def read_token(state: Path) -> str:
    """The token of an earlier installation, or nothing."""
    try:
        text = (state / ENTRY_FILE).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _FORM.fullmatch(text) else ""


def token_for(state: Path) -> str:
    """The token of this installation; a new one where there is none."""
    return read_token(state) or secrets.token_hex(16)


def token_argument(token: str) -> list[str]:
    """The token as an argument, which the shim ignores."""
    return [f"{_OPTION}{token}"] if token else []


SHIM: Final = "interlock-hook"
PROGRAM: Final = "interlock"  # beside it too: a stable path for agents whose PATH has none
LAUNCH: Final = f"{SHIM}.launch"  # beside it
_FIRST_LINE: Final = "interlock-launch 1"
_PLACES: Final = ("the socket", "the state folder", "the start lock")
# The variables that our paths depend on when no home is given; a hook call must not choose them.
_FIXED: Final = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR")


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """Where the shim is: outside the package, so that its path survives a reinstall."""

    folder: Path
    home: Path | None  # given to the shim when it is not the default one

    @property
    def shim(self) -> Path:
        return self.folder / SHIM

    @property
    def program(self) -> Path:
        """The command line, at a path that outlives a reinstall."""
        return self.folder / PROGRAM

    @property
    def launch_files(self) -> tuple[Path, ...]:
        """Read beside the shim, or below the home it is given."""
        beside = self.folder / LAUNCH
        return (beside, self.home / "launch") if self.home else (beside,)

    def arguments(self, host: str, token: str = "") -> list[str]:
        """What the host passes to the shim."""
        return [*(["--home", str(self.home)] if self.home else []), *token_argument(token), host]


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """What a launch file says."""

    socket: str
    state: str
    start_lock: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = {}

    def text(self) -> str:
        """The file, one item a line; a value of several lines is left out."""
        variables = [f"env {n}={v}" for n, v in self.environment.items() if "\n" not in v]
        lines = [_FIRST_LINE, self.socket, self.state, self.start_lock, *variables, *self.argv]
        return "".join(f"{line}\n" for line in lines)


def install_place(environ: Mapping[str, str], *, home: Path, cwd: Path) -> Installation:
    """Where this person's shim belongs: below INTERLOCK_HOME, or in the data folder."""
    own = environ.get("INTERLOCK_HOME")
    if own:
        base = Path(os.path.normpath(cwd / own))
        return Installation(folder=base / "bin", home=base)
    data = environ.get("XDG_DATA_HOME", "")
    base = Path(data) if data.startswith("/") else home / ".local" / "share"
    return Installation(folder=base / "interlock" / "bin", home=None)


def read_launch(text: str) -> Launch:
    """Read a launch file; raise ValueError with what is wrong, in the shim's own words."""
    first, *lines = text.split("\n") if text else [""]
    if first != _FIRST_LINE:
        raise ValueError("is another version")
    lines = lines[:-1] if lines and not lines[-1] else lines
    for name, line in zip(_PLACES, [*lines, "", "", ""], strict=False):
        if not line.startswith("/"):
            raise ValueError(f"lacks the path of {name}")
    rest = lines[3:]
    count = next((i for i, line in enumerate(rest) if not line.startswith("env ")), len(rest))
    argv = tuple(rest[count:])
    if not argv or not argv[0].startswith("/"):
        raise ValueError("does not start a program by its full path")
    variables = dict(line.removeprefix("env ").split("=", 1) for line in rest[:count] if "=" in line)
    return Launch(socket=lines[0], state=lines[1], start_lock=lines[2], argv=argv, environment=variables)


def locate_installed(environ: Mapping[str, str], *, home: Path, cwd: Path, uid: int) -> Locations:
    """Every place, with the socket that this home's installed shims call: it may be of an earlier version."""
    locations = locate(environ, home=home, cwd=cwd, uid=uid)
    launch = installed_launch(install_place(environ, home=home, cwd=cwd), locations.state, uid)
    return locations if launch is None else msgspec.structs.replace(locations, socket=Path(launch.socket))


def installed_launch(installed: Installation, state: Path, uid: int) -> Launch | None:
    """The launch file that the installed shims read for the home with this state folder, if any."""
    file = installed.launch_files[-1]
    try:
        if not_ours_alone(file.stat(), uid):
            return None
        launch = read_launch(file.read_text("utf-8", "surrogateescape"))
    except (OSError, ValueError):
        return None
    return launch if launch.state == str(state) else None


def not_ours_alone(status: os.stat_result, uid: int) -> bool:
    """Whether others can write to a file, so that the shim refuses it."""
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)) or status.st_uid not in {uid, 0}


def shim_program(beside: Path, python: str, environ: Mapping[str, str]) -> bytes:
    """The native shim that came with the package, or a script that does its work more slowly."""
    try:
        program = (beside / SHIM).read_bytes()
    except OSError:
        program = b"#!"
    # A script would look for its Python in the folder of the agent.
    if not program.startswith(b"#!"):
        return program
    return _script("hosts/slow-shim.sh", python, _places(environ)).encode()


def program_text(installed: Installation, python: str, environ: Mapping[str, str]) -> bytes:
    """The command line of this installation as a program of its own."""
    home = _export_line("INTERLOCK_HOME", str(installed.home) if installed.home else None)
    return _script("hosts/interlock.sh", python, f"{home}\n{_places(environ)}").encode()


def _script(template: str, python: str, places: str) -> str:
    text = bundled_file(template).read_text("utf-8")
    return _fill(text, VERSION=__version__, PYTHON=shlex.quote(python), PLACES=places)


def _places(environ: Mapping[str, str]) -> str:
    return "\n".join(_export_line(name, environ.get(name)) for name in _FIXED)


def _export_line(name: str, value: str | None) -> str:
    return f"export {name}={shlex.quote(value)}" if value else f"unset {name}"


def _fill(template: str, **values: str) -> str:
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template
