"""Patterns of paths, and the forms of a path that file systems and people take for the same."""

from __future__ import annotations

import os
import os.path
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import filterfalse
from typing import Final

_WILD: Final = re.compile(r"[*?]")
_ABOVE_PROJECT: Final = 6


def pattern_path(glob: str, home: str) -> tuple[str, ...]:
    """Return the globs that a path glob stands for; one of them has to match.

    `~` and `$HOME` become the given home (and where it leads, when it is a link), `./`, `a/..` and doubled
    slashes go, `dir/` is `dir` and everything below. `./*` keeps its `./`: it means the project, not any
    path.
    """
    expanded = _expand(glob, home)
    globs = [_tidy_glob(path) for path in expanded]
    if glob.endswith("/"):
        globs += [_below(path) for path in globs]
    return tuple(dict.fromkeys(globs))


def denied_paths(glob: str, home: str) -> tuple[str, ...]:
    """Return the globs of a denied path: those of `pattern_path` and what else it must match.

    `dir/**` also means `dir`; a folder that is a link also means where it leads; every glob also stands
    without letter case, as the folded spellings of `read_path` do.
    """
    globs = pattern_path(glob, home)
    globs += tuple(folder for path in globs if (folder := _whole_folder(path)) is not None)
    globs += tuple(_through_links(path) for path in globs)
    return tuple(dict.fromkeys((*globs, *map(fold_letters, globs))))


def folders_above(glob: str, home: str) -> tuple[str, ...]:
    """Return the folders whose removal would remove what the glob names."""
    folders: list[str] = []
    for path in pattern_path(glob, home):
        folder = literal_folder(path)
        if folder is None or folder.startswith(".."):
            continue
        while folder not in {"/", ".", ""}:
            folders.append(folder)
            folder = os.path.dirname(folder)
        up = ("..", *("/".join([".."] * count) for count in range(2, _ABOVE_PROJECT + 1)))
        folders += ("/",) if path.startswith("/") else (".", *up, "/")
    return tuple(dict.fromkeys(folders))


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
    return tuple(folder + start[len(name) :] for folder in homes)


def _tidy_glob(glob: str) -> str:
    """Like `tidy`; `..` takes away only a name without wildcards."""
    parts: list[str] = []
    for part in glob.split("/"):
        if part in {"", "."}:
            continue
        if part == ".." and parts and parts[-1] != ".." and not _WILD.search(parts[-1]):
            parts.pop()
        elif part != ".." or parts or not glob.startswith("/"):
            parts.append(part)
    if glob.startswith("/"):
        return "/" + "/".join(parts)
    if parts and (parts[0][0] in "~$" or (glob.startswith("./") and _WILD.search(parts[0]))):
        parts.insert(0, ".")  # a name that looks like a home stays a name
    return "/".join(parts) or "."


def _below(glob: str) -> str:
    return "/*" if glob == "/" else f"{glob}/*"


def _whole_folder(glob: str) -> str | None:
    """Return the folder if the glob names everything in it."""
    if not glob.endswith(("/**", "/*")):
        return None
    folder = glob.rstrip("*").removesuffix("/") or "/"
    return folder if folder.strip("*?") else None  # `**/*` names no folder


def _through_links(glob: str) -> str:
    """Return the glob with links resolved before its first wildcard, if it is absolute."""
    folder = literal_folder(glob) if glob.startswith("/") else None
    if folder is None or folder == "/":
        return glob
    return os.path.realpath(folder).rstrip("/") + glob[len(folder) :]


def literal_folder(glob: str) -> str | None:
    """Return the folder before the first name with a wildcard, None if there is none."""
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
        """Return the glob that names this file by another hard link, else None; globs start at base."""
        identity = _several_names(os.path.join(base, path))
        if identity is None:
            return None
        for file, written in self._files:
            if _identity(os.path.join(base, file)) == identity:
                return written
        for folder, written in self._folders:
            if _holds(os.path.join(base, folder), identity):
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
    """Return the identity of a file with several hard links."""
    status = _status(path)
    if status is None or status.st_nlink <= 1 or stat.S_ISDIR(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def _identity(path: str) -> _Identity | None:
    status = _status(path)
    return None if status is None else (status.st_dev, status.st_ino)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _holds(folder: str, wanted: _Identity) -> bool:
    """Whether a file lies below a folder on the same device."""
    entries_left = _MAX_ENTRIES
    for entry in _entries_below(folder):
        entries_left -= 1
        if not entries_left:
            return False
        # The listing has the inode; only a candidate needs another call.
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


# What some file systems and displays leave out: format characters, joiners, variation selectors.
_EXTRA_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
_SELECTORS: Final = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))
# Most paths are already folded, which this finds out fast. It never backtracks.
_SURELY_FOLDED: Final = re.compile(r"(?:/?+\.{0,2}+[a-z0-9_\-+@=,%]++)*(?:/?+\.{0,2}+)?")
_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\})")
_WORKING: Final = re.compile(r"\$(?:PWD\b|\{PWD\})")
_STREAM: Final = re.compile(r":[:$].*", re.DOTALL)
_SHORT_NAME: Final = re.compile(r"([^~./]{1,6})~\d{1,5}(\.[^.]{1,3})?")
# Short names keep six letters; the longer protected names they may stand for.
_LONG_NAMES: Final = {"interl": ".interlock", "gitmod": ".gitmodules", "gitcon": ".gitconfig"}
_MAX_ROUNDS: Final = 8


def tidy(path: str) -> str:
    """Drop `.`, `a/..`, doubled and trailing slashes, by the text alone."""
    plain = os.path.normpath(path)
    return plain[1:] if plain[:2] == "//" else plain


def squeeze(path: str) -> str:
    """Drop `.` and doubled slashes; `..` stays, since links before it are followed first."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or lies below it, by the text alone."""
    return relative(tidy(path), tidy(folder)) is not None


def relative(path: str, folder: str) -> str | None:
    """Return a tidy path relative to a tidy folder, `.` for the folder itself, None outside of it."""
    if path == folder:
        return "."
    start = folder.rstrip("/") + "/"
    return path[len(start) :] if path.startswith(start) else None


def from_outside(path: str, folder: str) -> str:
    """Return a tidy path outside a folder relative to it, with `..`."""
    ours, theirs = path.split("/"), folder.rstrip("/").split("/")
    common = 0
    for our_part, their_part in zip(ours, theirs, strict=False):
        if our_part != their_part:
            break
        common += 1
    return "/".join([".."] * (len(theirs) - common) + [part for part in ours[common:] if part])


def expand_home(path: str, home: str) -> str:
    """Expand `~` to the given home, and `~user` to the home of that user."""
    if path == "~" or path.startswith("~/"):
        return home + path[1:]
    return os.path.expanduser(path) if path.startswith("~") else path


def expand_variables(path: str, home: str, cwd: str) -> str:
    """Expand `$HOME` and `$PWD`."""
    return _WORKING.sub(lambda _: cwd, _HOME.sub(lambda _: home, path))


def fold(path: str) -> str:
    """Return the one form of all names that some file systems take for the same.

    Letter case, composed and compatibility characters, invisible ones, final dots and spaces, streams, short
    names and backslashes do not count. For denies only: on most disks such names are different files.
    """
    text = path.lower() if path.isascii() else path
    if _SURELY_FOLDED.fullmatch(text):
        return text
    for _ in range(_MAX_ROUNDS):
        again = _fold_once(text)
        if again == text:
            break
        text = again
    return text


def _fold_once(path: str) -> str:
    text = fold_letters(path).replace("\\", "/")
    return tidy("/".join(map(_fold_name, text.split("/")))) if text else text


def fold_letters(text: str) -> str:
    """Return a text or glob without letter case, compatibility and invisible characters."""
    if text.isascii():
        return text.lower()
    folded_once = unicodedata.normalize("NFKC", drop_invisible(text)).casefold()
    return unicodedata.normalize("NFKC", drop_invisible(folded_once))


def compose(path: str) -> str:
    """Return a path with composed characters and no invisible ones."""
    return path if path.isascii() else unicodedata.normalize("NFC", drop_invisible(path))


def drop_invisible(text: str) -> str:
    """Return a text without invisible characters."""
    return text if text.isascii() else "".join(filterfalse(_is_invisible, text))


def _is_invisible(character: str) -> bool:
    if character.isascii():
        return False
    return (
        character in _EXTRA_INVISIBLE
        or unicodedata.category(character) == "Cf"
        or any(ord(character) in selectors for selectors in _SELECTORS)
    )


def _fold_name(name: str) -> str:
    if name in {"", ".", ".."}:
        return name
    bare = _STREAM.sub("", name, count=1) or name
    bare = bare.strip().rstrip(". ") or name
    short = _SHORT_NAME.fullmatch(bare)
    if short is None:
        return bare
    return _LONG_NAMES.get(short[1]) or f".{short[1]}{short[2] or ''}"
