"""Where a path lies, to tell what is lost if it is deleted."""

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
# A repository that was too slow is not asked again for a minute: an agent would wait at every call.
_PAUSE: Final = 60.0
_REMEMBERED: Final = 1_024  # slow folders
_ANSWERED: Final = frozenset({0, 1})  # 1: none of the paths is ignored
_FIELDS: Final = 4  # of an answer: file, line, rule, path
# What one command rebuilds from a lock file beside it, even if there is no .gitignore yet.
_LOCK_FILES: Final[Mapping[str, Sequence[str]]] = {
    "node_modules": (
        "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb".split()
    ),
    ".venv": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"),
    "Pods": ("Podfile.lock",),
}


class RunGit(Protocol):
    """Runs git and returns what it prints."""

    def __call__(self, *words: str, given: bytes = b"") -> bytes: ...


class Ignored(Enum):
    """What git says."""

    YES = "yes"
    NO = "no"
    NO_REPOSITORY = "no repository"  # or git is not installed
    SILENT = "silent"  # it gave no answer in time


# Takes a folder, paths in it, and perhaps names: it then checks everything below the paths with such a name.
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
        check = _are_only_ignored_below if names else _are_ignored
        try:
            return check(lambda *words, given=b"": self._run(program, folder, words, given), paths, names)
        except (OSError, ValueError, subprocess.SubprocessError):
            self._slow[folder] = self._clock() + _PAUSE
            return Ignored.SILENT

    def _run(self, program: str, folder: str, words: Sequence[str], given: bytes) -> bytes:
        command = [program, *QUIET, "-C", folder, *words]
        done = run_program(command, seconds=SECONDS, given=given, env=self._environ)
        if done.returncode not in _ANSWERED:
            raise subprocess.SubprocessError(f"git exited with {done.returncode}")
        return done.stdout


def _are_ignored(run: RunGit, paths: Sequence[str], _names: Sequence[str]) -> Ignored:
    """Whether each path is ignored, or can be rebuilt from a lock file."""
    given = b"".join(os.fsencode(_as_folder(path)) + b"\0" for path in paths)
    fields = run("check-ignore", "-v", "-n", "-z", "--stdin", given=given).split(b"\0")
    rules = fields[2::_FIELDS]
    if len(rules) != len(paths) or any(rule.startswith(b"!") for rule in rules):
        return Ignored.NO
    rest = [path for path, rule in zip(paths, rules, strict=True) if not rule]
    return Ignored.YES if all(_is_locked(run, path) for path in rest) else Ignored.NO


def _is_locked(run: RunGit, path: str) -> bool:
    """Whether a path is, or lies in, a folder with a lock file beside it and no tracked file in it."""
    parts = path.split("/")
    at = next((index for index, part in enumerate(parts) if part in _LOCK_FILES), None)
    if at is None:
        return False
    above, folder = "/".join(parts[:at]), "/".join(parts[: at + 1])
    # The folder must not be a link: the lock file of another place does not count.
    if not os.path.isdir(folder) or os.path.realpath(folder) != folder:
        return False
    locks = (f"{above}/{name}" for name in _LOCK_FILES[parts[at]])
    if not any(_is_full_file(lock) for lock in locks):
        return False
    repositories = (f"{glob.escape(folder)}{below}/.git" for below in ("", "/*", "/@*/*"))
    if any(map(glob.glob, repositories)):
        return False  # a package that somebody works on
    # Without a slash at the end, git also reports a rule that excludes the folder from being ignored.
    rule = run("check-ignore", "-v", "-z", "--no-index", "--stdin", given=os.fsencode(folder) + b"\0")
    return b"\0!" not in rule and not run("ls-files", "--cached", "-z", "--", f":(literal){folder}")


def _is_full_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) > 0


def _are_only_ignored_below(run: RunGit, paths: Sequence[str], names: Sequence[str]) -> Ignored:
    """Whether no file with these names is tracked, or new and not ignored."""
    below = [f":(glob,icase){path}/**/{name}{end}" for path in paths for name in names for end in ("", "/**")]
    files = run("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *below)
    return Ignored.NO if files else Ignored.YES


def _as_folder(path: str) -> str:
    """With a slash at the end unless it is a file: the rule `build/` only matches folders."""
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
    # Below the home or beside the project, with a name that tools make; or all temporary files.
    ELSEWHERE = "elsewhere"
    OUTSIDE = "outside"


# Outside of a repository, the name alone decides.
_BY_GIT: Final = {
    Ignored.YES: Location.REBUILDABLE,
    Ignored.NO_REPOSITORY: Location.REBUILDABLE,
    Ignored.NO: Location.INSIDE,
    Ignored.SILENT: Location.UNKNOWN,
}


class Question(msgspec.Struct, frozen=True):
    """A path in a project whose location only the disk and git can tell."""

    path: str
    root: str
    names: tuple[str, ...]


class Places:
    """Locates paths by the project, the home and the temporary folders of this machine."""

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
        """The location of a path, or of everything below it that has one of these names."""
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
            _deep_in(real, folder) for folder in (self._home, os.path.dirname(root))
        )
        return Location.ELSEWHERE if made or folders else Location.OUTSIDE

    def _holds(self, folder: str, real: str) -> bool:
        """Whether a path lies in a temporary folder; a home in such a folder does not count as temporary."""
        in_home = _within(real, self._home) or _within(self._home, real)
        return _within(real, folder) and not (in_home and _within(self._home, folder))

    def is_made(self, name: str) -> bool:
        """Whether tools make files or folders of this name."""
        return name in self._names or any(fnmatchcase(name, glob) for glob in self._globs)

    def _are_made(self, path: str, names: Sequence[str]) -> bool:
        """Whether tools make what is deleted: a folder in its path, or everything with these names."""
        return any(map(self.is_made, path.split("/"))) or (bool(names) and all(map(self.is_made, names)))

    def _locate_in_project(
        self, real: str, root: str, names: Sequence[str], *, ask_git: bool
    ) -> Location | Question:
        if any(part.casefold() == _REPOSITORY for part in (*_below(real, root).split("/"), *names)):
            return Location.REPOSITORY
        unclear = ask_git and (_WILD.search(real) or self._are_made(_below(real, root), names))
        return Question(real, root, tuple(names)) if unclear else Location.INSIDE

    def answer(self, question: Question) -> Location:
        """The location, by what is on disk and what git says; that may take a while."""
        root, names = question.root, question.names
        paths = _expand_glob(question.path)
        if not paths or not all(self._are_made(_below(path, root), names) for path in paths):
            return Location.INSIDE
        return _BY_GIT[self._are_ignored(root, paths, names)]


def is_everything(name: str) -> bool:
    """Whether a glob matches everything in a folder: `*`, `.*`, `*.*`."""
    return _EVERYTHING.fullmatch(name) is not None


def _expand_glob(path: str) -> list[str]:
    """What a glob matches now, or the glob itself if nothing; empty if there are too many matches."""
    if not _WILD.search(path):
        return [path]
    matches = list(islice(glob.iglob(path), _MOST_MATCHES + 1))
    return [] if len(matches) > _MOST_MATCHES else matches or [path]


def _resolve(path: str, base: str) -> str:
    """The real path; a link at its end is not followed, since the link itself would be deleted."""
    whole = os.path.join(base, path)
    folder, name = os.path.split(whole)
    if is_everything(name):
        return os.path.realpath(folder)
    if name in {"", ".", ".."}:
        return os.path.realpath(whole)
    return os.path.join(os.path.realpath(folder), name)


def _deep_in(path: str, folder: str) -> bool:
    """Whether a path lies at least two levels below a folder that is not the root."""
    return folder != "/" and _within(path, folder) and "/" in _below(path, folder).strip("/")


def _below(path: str, root: str) -> str:
    return path[len(root) :]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _temporary_folders(temporary: Sequence[str], environ: Mapping[str, str], home: str) -> tuple[str, ...]:
    names = [environ.get(name[1:], "") if name.startswith("$") else name for name in temporary]
    paths = [home + name[1:] if name.startswith("~/") and home else name for name in names]
    folders = dict.fromkeys(os.path.realpath(path) for path in paths if path.startswith("/"))
    return tuple(
        folder for folder in folders if folder != "/"
    )  # a variable must not make all of it temporary
