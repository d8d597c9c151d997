"""Does git ignore a path? Asked of git itself, with everything off that a repository could run by it."""

from __future__ import annotations

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
    """Whether each path is ignored."""
    given = b"".join(os.fsencode(_as_folder(path)) + b"\0" for path in paths)
    fields = run("check-ignore", "-v", "-n", "-z", "--stdin", given=given).split(b"\0")
    rules = fields[2::_FIELDS]
    ignored = len(rules) == len(paths) and all(rule and not rule.startswith(b"!") for rule in rules)
    return Ignored.YES if ignored else Ignored.NO


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
