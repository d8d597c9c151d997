"""Can a path be made again? Asked of git, and of lock files; git runs no code of the repository."""

from __future__ import annotations

import glob
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final, Protocol

from interlock.files.system_programs import QUIET, git, git_environment

SECONDS: Final = 5.0
# A repository that was too slow is not asked again so soon: an agent would wait for it at every call.
_REST: Final = 60.0
_SLOW: Final = 1_024  # folders remembered
_ANSWERED: Final = frozenset({0, 1})  # 1: none of the paths is ignored
_FIELDS: Final = 4  # of an answer: file, line, rule, path
# What one command makes anew from a lock file beside it, also where nobody has written a .gitignore yet.
_LOCK_FILES: Final = {
    "node_modules": (
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"),
        *("bun.lock", "bun.lockb"),
    ),
    ".venv": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"),
    "Pods": ("Podfile.lock",),
}


class Running(Protocol):
    """Runs git with some words and gives back what it printed."""

    def __call__(self, *words: str, given: bytes = b"") -> bytes: ...


class Ignored(Enum):
    """What git says."""

    YES = "yes"
    NO = "no"
    NO_REPOSITORY = "no repository"  # or no git: nobody can be asked
    SILENT = "silent"  # it was asked and gave no answer


# A folder, paths in it, and perhaps names: then all that lies below the paths and is called so is meant.
Asking = Callable[[str, Sequence[str], Sequence[str]], Ignored]


class GitIgnored:
    """Asks git about paths below a folder; tracked files are never ignored."""

    def __init__(self, environ: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        self._environ: Final = git_environment(environ)
        self._clock: Final = clock
        self._slow: Final[dict[str, float]] = {}  # folder → when it may be asked again

    def __call__(self, folder: str, paths: Sequence[str], names: Sequence[str] = ()) -> Ignored:
        """Whether all of it is ignored."""
        program = git()
        if program is None or not _in_repository(folder):
            return Ignored.NO_REPOSITORY
        if self._clock() < self._slow.get(folder, 0.0):
            return Ignored.SILENT
        asked = _others_below if names else _ignored
        try:
            return asked(lambda *words, given=b"": self._run(program, folder, words, given), paths, names)
        except (OSError, ValueError, subprocess.SubprocessError):
            self._note_slow(folder)
            return Ignored.SILENT

    def _note_slow(self, folder: str) -> None:
        if len(self._slow) >= _SLOW:
            self._slow.clear()
        self._slow[folder] = self._clock() + _REST

    def _run(self, program: str, folder: str, words: Sequence[str], given: bytes) -> bytes:
        asked = subprocess.run(  # noqa: S603 - git by its absolute path, with our own words before any path
            [program, *QUIET, "-C", folder, *words],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            env=self._environ,
            check=False,
        )
        if asked.returncode not in _ANSWERED:
            raise subprocess.SubprocessError(f"git ended with {asked.returncode}")
        return asked.stdout


def _ignored(run: Running, paths: Sequence[str], _names: Sequence[str]) -> Ignored:
    """Whether each path is ignored, or comes back from a lock file."""
    given = b"".join(os.fsencode(_as_folder(path)) + b"\0" for path in paths)
    fields = run("check-ignore", "-v", "-n", "-z", "--stdin", given=given).split(b"\0")
    rules = fields[2::_FIELDS]
    if len(rules) != len(paths) or any(rule.startswith(b"!") for rule in rules):
        return Ignored.NO
    rest = [path for path, rule in zip(paths, rules, strict=True) if not rule]
    return Ignored.YES if all(_is_locked(run, path) for path in rest) else Ignored.NO


def _is_locked(run: Running, path: str) -> bool:
    """Whether a path is, or lies in, a folder with its lock file beside it and nothing of git's in it."""
    parts = path.split("/")
    at = next((index for index, part in enumerate(parts) if part in _LOCK_FILES), None)
    if at is None:
        return False
    above, folder = "/".join(parts[:at]), "/".join(parts[: at + 1])
    # Nothing on the way is a link: the lock file of another place says nothing about this one.
    if not os.path.isdir(folder) or os.path.realpath(folder) != folder:
        return False
    locks = (f"{above}/{name}" for name in _LOCK_FILES[parts[at]])
    if not any(_is_full_file(lock) for lock in locks):
        return False
    repositories = (f"{glob.escape(folder)}{below}/.git" for below in ("", "/*", "/@*/*"))
    if any(glob.glob(one) for one in repositories):
        return False  # a package that somebody works on
    # Without a slash behind it, git also tells of a rule that keeps it.
    said = run("check-ignore", "-v", "-z", "--no-index", "--stdin", given=os.fsencode(folder) + b"\0")
    return b"\0!" not in said and not run("ls-files", "--cached", "-z", "--", f":(literal){folder}")


def _is_full_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 0


def _others_below(run: Running, paths: Sequence[str], names: Sequence[str]) -> Ignored:
    """Whether nothing of these names is tracked, or new and not ignored."""
    below = [f":(glob,icase){path}/**/{name}{end}" for path in paths for name in names for end in ("", "/**")]
    kept = run("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *below)
    return Ignored.NO if kept else Ignored.YES


def _as_folder(path: str) -> str:
    """A folder is ignored by `build/` only when it is known to be one, also before it is there."""
    return path if os.path.isfile(path) or os.path.islink(path) else f"{path}/"


def _in_repository(folder: str) -> bool:
    while not os.path.lexists(f"{folder}/.git"):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True
