"""Path patterns in the form that `read_path` spells paths in."""

from __future__ import annotations

import os
import os.path
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from interlock.effects.paths.forms import expand_home, expand_variables, folded_letters, tidy

_WILD: Final = re.compile(r"[*?]")
_ABOVE_PROJECT: Final = 6


def pattern_path(glob: str, home: str) -> tuple[str, ...]:
    """The globs that a path glob stands for, as an allow or a deny: one of them has to match.

    `~` and `$HOME` become the given home (and where it leads, when it is a link), `./`, `a/..` and doubled
    slashes go, `dir/` is `dir` and everything below. `./*` keeps its `./`: it means the project, not any
    path.
    """
    expanded = _expand(glob, home)
    found = [_tidy_glob(one) for one in expanded]
    if glob.endswith("/"):
        found += [_below(one) for one in found]
    return tuple(dict.fromkeys(found))


def denied_paths(glob: str, home: str) -> tuple[str, ...]:
    """The globs of a path glob in a deny list: those of `pattern_path` and what else has to be caught.

    `dir/**` also means `dir`; a folder that is a link also means where it leads; every glob also stands
    without letter case, as the folded spellings of `read_path` do.
    """
    found = pattern_path(glob, home)
    found += tuple(folder for one in found if (folder := _whole_folder(one)) is not None)
    found += tuple(_through_links(one) for one in found)
    return tuple(dict.fromkeys((*found, *map(folded_letters, found))))


def folders_above(glob: str, home: str) -> tuple[str, ...]:
    """The folders whose removal takes what the glob names with them; for deny patterns about deleting."""
    found: list[str] = []
    for one in pattern_path(glob, home):
        folder = literal_folder(one)
        if folder is None or folder.startswith(".."):
            continue
        while folder not in {"/", ".", ""}:
            found.append(folder)
            folder = os.path.dirname(folder)
        up = ("..", *("/".join([".."] * count) for count in range(2, _ABOVE_PROJECT + 1)))
        found += ("/",) if one.startswith("/") else (".", *up, "/")
    return tuple(dict.fromkeys(found))


def _expand(glob: str, home: str) -> tuple[str, ...]:
    start = expand_variables(glob, "~", "$PWD") if glob.startswith("$") else glob
    if not start.startswith("~"):
        return (glob,)
    name = start.partition("/")[0]
    if _WILD.search(name):
        return (glob,)
    homes = [expand_home(name, home)]
    if name == "~" and (real := os.path.realpath(home)) != tidy(home):
        homes.append(real)
    return tuple(one + start[len(name) :] for one in homes)


def _tidy_glob(glob: str) -> str:
    """Like `tidy`; `..` takes away only a name without wildcards."""
    kept: list[str] = []
    for part in glob.split("/"):
        if part in {"", "."}:
            continue
        if part == ".." and kept and kept[-1] != ".." and not _WILD.search(kept[-1]):
            kept.pop()
        elif part != ".." or kept or not glob.startswith("/"):
            kept.append(part)
    if glob.startswith("/"):
        return "/" + "/".join(kept)
    if kept and (kept[0][0] in "~$" or (glob.startswith("./") and _WILD.search(kept[0]))):
        kept.insert(0, ".")  # a name that looks like a home stays a name
    return "/".join(kept) or "."


def _below(glob: str) -> str:
    return "/*" if glob == "/" else f"{glob}/*"


def _whole_folder(glob: str) -> str | None:
    """The folder of which a glob names everything below."""
    if not glob.endswith(("/**", "/*")):
        return None
    folder = glob.rstrip("*").removesuffix("/") or "/"
    return folder if folder.strip("*?") else None  # `**/*` names no folder


def _through_links(glob: str) -> str:
    """The glob with the part before its first wildcard led through links, where that part is absolute."""
    folder = literal_folder(glob) if glob.startswith("/") else None
    if folder is None or folder == "/":
        return glob
    return os.path.realpath(folder).rstrip("/") + glob[len(folder) :]


def literal_folder(glob: str) -> str | None:
    """What stands before the first name with a wildcard; None when nothing does."""
    wild = _WILD.search(glob)
    if wild is None:
        return glob
    folder = glob[: wild.start()].rpartition("/")[0]
    return folder or ("/" if glob.startswith("/") else None)


# A folder with more entries is not searched to its end.
_MAX_ENTRIES: Final = 20_000

_Identity = tuple[int, int]


class ProtectedFiles:
    """The files that deny globs name outright, to be recognised under a name no glob knows.

    Counted are literal paths, `folder/**` with a literal folder, and a bare name or `**/name` in the project.
    """

    def __init__(self, globs: Iterable[str], home: str | None = None) -> None:
        own = os.path.expanduser("~") if home is None else home
        self._files: Final[list[tuple[str, str]]] = []  # path, the glob as written
        self._folders: Final[list[tuple[str, str]]] = []
        for written in globs:
            for glob in pattern_path(written, own):
                self._add(glob, written)

    def hit(self, path: str, base: str = "/") -> str | None:
        """The glob that names this file under another of its names, or None; relative globs start at base."""
        known = _several_names(os.path.join(base, path))
        if known is None:
            return None
        for file, written in self._files:
            if _identity(os.path.join(base, file)) == known:
                return written
        for folder, written in self._folders:
            if _holds(os.path.join(base, folder), known):
                return written
        return None

    def _add(self, glob: str, written: str) -> None:
        stem = re.sub(r"/\*+$", "", glob)
        if not _WILD.search(glob):
            self._files.append((glob, written))
        elif stem != glob and stem.strip("./") and not _WILD.search(stem):
            self._folders.append((stem, written))
        else:
            name = re.sub(r"^\*+/", "", glob)
            if not _WILD.search(name):
                self._files.append((name, written))


def _several_names(path: str) -> _Identity | None:
    """The identity of a file that has more than one name; folders have but one."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    several = found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if several else None


def _identity(path: str) -> _Identity | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _holds(folder: str, wanted: _Identity) -> bool:
    """Whether a file lies below a folder on the same device."""
    left = _MAX_ENTRIES
    for entry in _entries_below(folder):
        left -= 1
        if not left:
            return False
        # The listing gives the inode for nothing; only a candidate is looked at.
        if entry.inode() == wanted[1] and _identity(entry.path) == wanted:
            return True
    return False


def _entries_below(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (OSError, ValueError):
            continue
