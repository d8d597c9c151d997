"""Where a path lies, seen from someone who cleans up: what is lost if it goes?"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

import msgspec

from interlock.builtin_hooks.cleaning.git_ignored import Asking, Ignored

_REPOSITORY: Final = ".git"
_WILD: Final = re.compile(r"[*?\[]")
_EVERYTHING: Final = re.compile(r"[*?.!^\[\]]*[*?][*?.!^\[\]]*")
_MOST_MATCHES: Final = 200


class Place(Enum):
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
    Ignored.YES: Place.REBUILDABLE,
    Ignored.NO_REPOSITORY: Place.REBUILDABLE,
    Ignored.NO: Place.INSIDE,
    Ignored.SILENT: Place.UNKNOWN,
}


class Question(msgspec.Struct, frozen=True):
    """What lies inside a project, where only the disk and git can tell what kind of place it is."""

    path: str
    root: str
    names: tuple[str, ...]


class Places:
    """Tells places apart by what is known about this machine."""

    def __init__(
        self, names: Sequence[str], temporary: Sequence[str], environ: Mapping[str, str], ignored: Asking
    ) -> None:
        self._names: Final = frozenset(names)
        self._globs: Final = tuple(name for name in names if _WILD.search(name))
        self._home: Final = os.path.realpath(environ.get("HOME") or "/")
        self._temporary: Final = _roots(temporary, environ, environ.get("HOME", ""))
        self._ignored: Final = ignored

    def of(
        self, path: str, base: str, project: str, names: Sequence[str] = (), *, ask_git: bool = True
    ) -> Place | Question:
        """The place of a path, or of things that lie somewhere below it and are called so."""
        real = _real(path, base)
        root = os.path.realpath(project)
        if not names and _within(root, real):
            return Place.PROJECT
        if _within(real, root) and not _within(self._home, root):
            return self._inside(real, root, names, ask_git=ask_git)
        folders = [folder for folder in self._temporary if self._holds(folder, real)]
        if any(real != folder or names for folder in folders):
            return Place.TEMPORARY
        made = self._are_made(real, names) and any(_deep_in(real, one) for one in (self._home, _above(root)))
        return Place.ELSEWHERE if made or folders else Place.OUTSIDE

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

    def _inside(self, real: str, root: str, names: Sequence[str], *, ask_git: bool) -> Place | Question:
        if any(part.casefold() == _REPOSITORY for part in (*_below(real, root).split("/"), *names)):
            return Place.REPOSITORY
        unclear = ask_git and (_WILD.search(real) or self._are_made(_below(real, root), names))
        return Question(real, root, tuple(names)) if unclear else Place.INSIDE

    def answer(self, question: Question) -> Place:
        """The place, by what is there and what git says; that may take a while."""
        root, names = question.root, question.names
        paths = _matches(question.path)
        if not paths or not all(self._are_made(_below(path, root), names) for path in paths):
            return Place.INSIDE
        return _BY_GIT[self._ignored(root, paths, names)]


def is_everything(name: str) -> bool:
    """Whether a glob takes all there is in a folder: `*`, `.*`, `*.*`."""
    return _EVERYTHING.fullmatch(name) is not None


def _matches(path: str) -> list[str]:
    """What a glob would find now, or itself if nothing; none when there is too much to look at."""
    if not _WILD.search(path):
        return [path]
    found = list(islice(glob.iglob(path), _MOST_MATCHES + 1))
    return [] if len(found) > _MOST_MATCHES else found or [path]


def _real(path: str, base: str) -> str:
    """Where a path leads; a link at its end is what would be removed, not where it leads."""
    whole = os.path.join(base, path)
    folder, name = os.path.split(whole)
    if is_everything(name):
        return os.path.realpath(folder)
    if name in {"", ".", ".."}:
        return os.path.realpath(whole)
    return os.path.join(os.path.realpath(folder), name)


def _above(folder: str) -> str:
    return os.path.dirname(folder)


def _deep_in(path: str, folder: str) -> bool:
    """Whether a path lies in some folder of a folder that is not the root."""
    return folder != "/" and _within(path, folder) and "/" in _below(path, folder).strip("/")


def _below(path: str, root: str) -> str:
    return path[len(root) :]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _roots(temporary: Sequence[str], environ: Mapping[str, str], home: str) -> tuple[str, ...]:
    named = [environ.get(one[1:], "") if one.startswith("$") else one for one in temporary]
    full = [home + one[1:] if one.startswith("~/") and home else one for one in named]
    # A variable that makes the whole disk a temporary folder is not believed.
    found = dict.fromkeys(os.path.realpath(one) for one in full if one.startswith("/"))
    return tuple(one for one in found if one != "/")
