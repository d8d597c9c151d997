"""The programs that our own code starts, such as git: taken from system folders, not from PATH.

PATH belongs to people and to their hooks. An activated virtual environment puts a project's folder into it,
and what stands there an agent may have written.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

FOLDERS: Final = (
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    "/usr/local/bin",
    "/run/current-system/sw/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
)
# Everything off that a repository could have git run.
QUIET: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
_GIT_KEEPS: Final = ("HOME", "XDG_CONFIG_HOME")
_PROJECTS: Final = (".git", ".interlock")
_ENVIRONMENT: Final = "pyvenv.cfg"
_PACKAGES: Final = "node_modules"
_MACOS_ADMIN: Final = 80  # may use sudo anyway, and owns what Homebrew installs


def run_program(
    words: Sequence[str],
    *,
    seconds: float,
    given: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program without a shell to its end; raise OSError or TimeoutExpired where that cannot be done."""
    return subprocess.run(  # noqa: S603 - each word is one argument
        words, input=given, capture_output=True, timeout=seconds, env=env, cwd=cwd, check=False
    )


def system_program(name: str, folders: Sequence[str] = FOLDERS) -> str | None:
    """The path of a system program that only its owner can change; None if there is none."""
    for folder in folders:
        path = Path(folder, name)
        if path.is_file() and os.access(path, os.X_OK) and writable_by_others(path) is None:
            return str(path)
    return None


@cache
def git() -> str | None:
    """Git, looked for once."""
    return system_program("git")


@cache
def system_path() -> str:
    """The PATH of the programs that we start."""
    folders = (folder for folder in map(Path, FOLDERS) if folder.is_dir())
    return os.pathsep.join(str(folder) for folder in folders if writable_by_others(folder) is None)


def git_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What git is run with: the home of its user, and no program but the system's."""
    inherited = {name: environ[name] for name in _GIT_KEEPS if name in environ}
    return {**inherited, "LC_ALL": "C", "PATH": system_path()}


def search_faults(search: str) -> Iterator[str]:
    """What is wrong with the folders of a PATH, where an agent or another user could put a program."""
    for entry in dict.fromkeys(search.split(os.pathsep)):
        why = _fault(entry)
        if why is not None:
            yield f"`{entry}` {why}"


def without_faults(search: str) -> str:
    """A PATH without those folders."""
    return os.pathsep.join(entry for entry in search.split(os.pathsep) if _fault(entry) is None)


def writable_by_others(path: Path) -> Path | None:
    """The file, or the folder above it, that other users than its owner and the administrator can change."""
    below: os.stat_result | None = None
    for place in _upwards(path):
        try:
            found = place.stat()
        except OSError:
            continue  # not there yet; the folder above decides who can make it
        if found.st_uid not in {_administrator(), os.getuid()} or _open_to_others(found, below):
            return place
        below = found
    return None


def _open_to_others(found: os.stat_result, below: os.stat_result | None) -> bool:
    if below is not None and found.st_mode & stat.S_ISVTX:
        return False  # a folder such as /tmp: only its owner can remove a file in it
    by_group = found.st_mode & stat.S_IWGRP and not _is_trusted_group(found.st_gid)
    return bool(found.st_mode & stat.S_IWOTH or by_group)


def _fault(entry: str) -> str | None:
    if not entry.startswith("/"):
        return "is not an absolute path"
    folder = Path(entry)
    # The system's own folders are excepted: Homebrew's is a repository, but not a project.
    where = None if str(folder) in FOLDERS else _place_of_work(folder)
    if where is not None:
        return where
    changed = writable_by_others(folder)
    return None if changed is None else f"can be changed by other users (`{changed}`)"


def _place_of_work(folder: Path) -> str | None:
    """Which of the places that agents work in a folder belongs to."""
    for above in _upwards(folder):
        if os.path.lexists(above / _ENVIRONMENT):
            return f"is inside the virtual environment `{above}`"
        if above.name == _PACKAGES or any(os.path.lexists(above / mark) for mark in _PROJECTS):
            return f"is inside the project `{above}`"
    return None


def _upwards(path: Path) -> Iterator[Path]:
    """Where a path leads, and the folders above that, without the root of the file system."""
    real = Path(os.path.realpath(path))
    yield from (place for place in (real, *real.parents) if place.name)


@cache
def _administrator() -> int:
    # Not always 0: in a container with users of its own, the system's owner may have no number there.
    return Path(os.sep).stat().st_uid


@cache
def _is_trusted_group(group: int) -> bool:
    """Whether a group is the administrators', or its only member is the user."""
    if group == 0 or (sys.platform == "darwin" and group == _MACOS_ADMIN):
        return True
    try:
        own, user = grp.getgrgid(group), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return own.gr_name == user.pw_name and set(own.gr_mem) <= {user.pw_name}
