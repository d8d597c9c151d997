"""Where a path lies, seen from someone who cleans up: what is lost if it goes?"""

from __future__ import annotations

import glob
import os
import re
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final, Protocol

import msgspec

from interlock.events.bounded_dict import BoundedDict
from interlock.files.system_programs import QUIET, git, git_environment, run_program

SECONDS: Final = 5.0
# A repository that was too slow is not asked again so soon: an agent would wait for it at every call.
_REST: Final = 60.0
_REMEMBERED: Final = 1_024  # slow folders
_ANSWERED: Final = frozenset({0, 1})  # 1: none of the paths is ignored
_FIELDS: Final = 4  # of an answer: file, line, rule, path
# What one command rebuilds from a lock file beside it, also where nobody has written a .gitignore yet.
_LOCK_FILES: Final = {
    "node_modules": (
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"),
        *("bun.lock", "bun.lockb"),
    ),
    ".venv": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"),
    "Pods": ("Podfile.lock",),
}


class RunGit(Protocol):
    """Runs git with some words and gives back what it printed."""

    def __call__(self, *words: str, given: bytes = b"") -> bytes: ...


class Ignored(Enum):
    """What git says."""

    YES = "yes"
    NO = "no"
    NO_REPOSITORY = "no repository"  # or no git: nobody can be asked
    SILENT = "silent"  # it was asked and gave no answer


# A folder, paths in it, and perhaps names: then all that lies below the paths and is called so is meant.
IgnoreCheck = Callable[[str, Sequence[str], Sequence[str]], Ignored]


class GitIgnored:
    """Asks git about paths below a folder; tracked files are never ignored."""

    def __init__(self, environ: Mapping[str, str], clock: Callable[[], float] = time.monotonic) -> None:
        self._environ: Final = git_environment(environ)
        self._clock: Final = clock
        # folder → when it may be asked again
        self._slow: Final[BoundedDict[str, float]] = BoundedDict(_REMEMBERED)

    def __call__(self, folder: str, paths: Sequence[str], names: Sequence[str] = ()) -> Ignored:
        """Whether all of it is ignored."""
        program = git()
        if program is None or not _in_repository(folder):
            return Ignored.NO_REPOSITORY
        if self._clock() < self._slow.get(folder, 0.0):
            return Ignored.SILENT
        asked = _are_only_ignored_below if names else _are_ignored
        try:
            return asked(lambda *words, given=b"": self._run(program, folder, words, given), paths, names)
        except (OSError, ValueError, subprocess.SubprocessError):
            self._slow[folder] = self._clock() + _REST
            return Ignored.SILENT

    def _run(self, program: str, folder: str, words: Sequence[str], given: bytes) -> bytes:
        command = [program, *QUIET, "-C", folder, *words]
        asked = run_program(command, seconds=SECONDS, given=given, env=self._environ)
        if asked.returncode not in _ANSWERED:
            raise subprocess.SubprocessError(f"git exited with {asked.returncode}")
        return asked.stdout


def _are_ignored(run: RunGit, paths: Sequence[str], _names: Sequence[str]) -> Ignored:
    """Whether each path is ignored, or comes back from a lock file."""
    given = b"".join(os.fsencode(_as_folder(path)) + b"\0" for path in paths)
    fields = run("check-ignore", "-v", "-n", "-z", "--stdin", given=given).split(b"\0")
    rules = fields[2::_FIELDS]
    if len(rules) != len(paths) or any(rule.startswith(b"!") for rule in rules):
        return Ignored.NO
    rest = [path for path, rule in zip(paths, rules, strict=True) if not rule]
    return Ignored.YES if all(_is_locked(run, path) for path in rest) else Ignored.NO


def _is_locked(run: RunGit, path: str) -> bool:
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


def _are_only_ignored_below(run: RunGit, paths: Sequence[str], names: Sequence[str]) -> Ignored:
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


_REPOSITORY: Final = ".git"
_WILD: Final = re.compile(r"[*?\[]")
_EVERYTHING: Final = re.compile(r"[*?.!^\[\]]*[*?][*?.!^\[\]]*")
_MOST_MATCHES: Final = 200


class Location(Enum):
    """What kind of place it is."""

    REBUILDABLE = "rebuildable"  # inside the project, ignored by git, of a name that tools make
    TEMPORARY = "temporary"  # below a folder for temporary files
    INSIDE = "inside"  # elsewhere in the project
    UNKNOWN = "unknown"  # in the project, and git gave no answer
    REPOSITORY = "repository"  # git's own folder
    PROJECT = "project"  # the project, or a folder around it
    # At home or beside the project, of a name that tools make; or all temporary files.
    ELSEWHERE = "elsewhere"
    OUTSIDE = "outside"


# Where nobody can say whether it is ignored, the name decides.
_BY_GIT: Final = {
    Ignored.YES: Location.REBUILDABLE,
    Ignored.NO_REPOSITORY: Location.REBUILDABLE,
    Ignored.NO: Location.INSIDE,
    Ignored.SILENT: Location.UNKNOWN,
}


class Question(msgspec.Struct, frozen=True):
    """What lies inside a project, where only the disk and git can tell what kind of place it is."""

    path: str
    root: str
    names: tuple[str, ...]


class Places:
    """Tells places apart by what is known about this machine."""

    def __init__(
        self, names: Sequence[str], temporary: Sequence[str], environ: Mapping[str, str], ignored: IgnoreCheck
    ) -> None:
        self._names: Final = frozenset(names)
        self._globs: Final = tuple(name for name in names if _WILD.search(name))
        self._home: Final = os.path.realpath(environ.get("HOME") or "/")
        self._temporary: Final = _temporary_folders(temporary, environ, environ.get("HOME", ""))
        self._are_ignored: Final = ignored

    def locate(
        self, path: str, base: str, project: str, names: Sequence[str] = (), *, ask_git: bool = True
    ) -> Location | Question:
        """The place of a path, or of things that lie somewhere below it and are called so."""
        real = _resolve(path, base)
        root = os.path.realpath(project)
        if not names and _within(root, real):
            return Location.PROJECT
        if _within(real, root) and not _within(self._home, root):
            return self._locate_in_project(real, root, names, ask_git=ask_git)
        folders = [folder for folder in self._temporary if self._holds(folder, real)]
        if any(real != folder or names for folder in folders):
            return Location.TEMPORARY
        made = self._are_made(real, names) and any(
            _deep_in(real, one) for one in (self._home, os.path.dirname(root))
        )
        return Location.ELSEWHERE if made or folders else Location.OUTSIDE

    def _holds(self, folder: str, real: str) -> bool:
        """Whether a path lies in a temporary folder; a home that lies there is a home all the same."""
        in_home = _within(real, self._home) or _within(self._home, real)
        return _within(real, folder) and not (in_home and _within(self._home, folder))

    def is_made(self, name: str) -> bool:
        """Whether tools make what is called so."""
        return name in self._names or any(fnmatchcase(name, glob) for glob in self._globs)

    def _are_made(self, path: str, names: Sequence[str]) -> bool:
        """Whether tools make what goes: a folder on the way to it, or all that is meant below."""
        return any(map(self.is_made, path.split("/"))) or (bool(names) and all(map(self.is_made, names)))

    def _locate_in_project(
        self, real: str, root: str, names: Sequence[str], *, ask_git: bool
    ) -> Location | Question:
        if any(part.casefold() == _REPOSITORY for part in (*_below(real, root).split("/"), *names)):
            return Location.REPOSITORY
        unclear = ask_git and (_WILD.search(real) or self._are_made(_below(real, root), names))
        return Question(real, root, tuple(names)) if unclear else Location.INSIDE

    def answer(self, question: Question) -> Location:
        """The place, by what is there and what git says; that may take a while."""
        root, names = question.root, question.names
        paths = _expand_glob(question.path)
        if not paths or not all(self._are_made(_below(path, root), names) for path in paths):
            return Location.INSIDE
        return _BY_GIT[self._are_ignored(root, paths, names)]


def is_everything(name: str) -> bool:
    """Whether a glob takes all there is in a folder: `*`, `.*`, `*.*`."""
    return _EVERYTHING.fullmatch(name) is not None


def _expand_glob(path: str) -> list[str]:
    """What a glob would find now, or itself if nothing; none when there is too much to look at."""
    if not _WILD.search(path):
        return [path]
    found = list(islice(glob.iglob(path), _MOST_MATCHES + 1))
    return [] if len(found) > _MOST_MATCHES else found or [path]


def _resolve(path: str, base: str) -> str:
    """Where a path leads; a link at its end is what would be removed, not where it leads."""
    whole = os.path.join(base, path)
    folder, name = os.path.split(whole)
    if is_everything(name):
        return os.path.realpath(folder)
    if name in {"", ".", ".."}:
        return os.path.realpath(whole)
    return os.path.join(os.path.realpath(folder), name)


def _deep_in(path: str, folder: str) -> bool:
    """Whether a path lies in some folder of a folder that is not the root."""
    return folder != "/" and _within(path, folder) and "/" in _below(path, folder).strip("/")


def _below(path: str, root: str) -> str:
    return path[len(root) :]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _temporary_folders(temporary: Sequence[str], environ: Mapping[str, str], home: str) -> tuple[str, ...]:
    named = [environ.get(one[1:], "") if one.startswith("$") else one for one in temporary]
    full = [home + one[1:] if one.startswith("~/") and home else one for one in named]
    # A variable that makes the whole disk a temporary folder is not believed.
    found = dict.fromkeys(os.path.realpath(one) for one in full if one.startswith("/"))
    return tuple(one for one in found if one != "/")
