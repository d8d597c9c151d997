"""Denied paths that a glob of a shell may match, or that a search of a folder may find."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final

import msgspec

from interlock.effects.paths.globs import tidy

ANY_DEPTH: Final = "**"  # any number of folders
_GLOB: Final = re.compile(r"[*?\[]")
_WILDCARDS: Final = re.compile(r"\[[^\]/]*\]|[*?]")
_BARE: Final = re.compile(r"\.?\*[.*]*(?:\.[A-Za-z0-9]+)?")


class Wild(msgspec.Struct, frozen=True, gc=False):
    """A name that two globs, or a glob and a name, both match."""

    text: str
    written: bool  # this part of the shell's path has no wildcard
    says: bool  # the glob spells a part of the name


@lru_cache(maxsize=4_096)
def match_name(glob: str, denied: str) -> Wild | None:
    """Return a name that a part of a path with wildcards and a part of a denied path both match, or None."""
    wild = _GLOB.search(glob) is not None
    if ANY_DEPTH in (glob, denied):
        return Wild(denied if glob == ANY_DEPTH else glob, not wild, False)
    low, name = glob.lower(), denied.lower()
    if not wild:
        if low == name:
            return Wild(denied, True, True)
        return Wild(glob, True, True) if _GLOB.search(denied) and _matches(name, low) else None
    if name[0] == "." and low[0] != ".":
        return None  # globs of a shell do not match hidden names
    # A denied glob without its wildcards is one of the names it means.
    spelt = _WILDCARDS.sub("", denied) if _GLOB.search(denied) else denied
    if spelt and _matches(low, spelt.lower()):
        return Wild(spelt, False, not is_bare(glob))
    return _both(low, name) if spelt is not denied else None


def _both(glob: str, denied: str) -> Wild | None:
    """Return a name that two globs match if they agree on a written beginning or end."""
    (first, last), (start, end) = _ends(glob), _ends(denied)
    begin, finish = max(first, start, key=len), max(last, end, key=len)
    fits = begin.startswith(first) and begin.startswith(start)
    fits = fits and finish.endswith(last) and finish.endswith(end)
    shared = (first and start) or (last and end)
    return Wild(begin + finish, False, not is_bare(glob)) if fits and shared else None


@lru_cache(maxsize=1_024)
def is_bare(name: str) -> bool:
    """Return whether a name is a glob for any file or a kind of file: `*`, `.*`, `*.py`."""
    return _BARE.fullmatch(_WILDCARDS.sub("*", name)) is not None


def _ends(glob: str) -> tuple[str, str]:
    """Return the text before the first wildcard and after the last."""
    pieces = _WILDCARDS.split(glob)
    return pieces[0], pieces[-1]


def _matches(glob: str, name: str) -> bool:
    return glob == "*" or _expression(glob).fullmatch(name) is not None


@lru_cache(maxsize=1_024)
def _expression(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\b[^}]*\})")
OPEN: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+")


def with_home(target: str, home: str) -> str:
    """Expand `~` and `$HOME` in a target."""
    if target == "~" or target.startswith("~/"):
        return home + target[1:]
    return _HOME.sub(lambda _: home, target) if "$" in target else target


class DeniedFolders:
    """Denied hidden folders, whose names alone say what they are: `.ssh`."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._hidden: Final[dict[str, list[str]]] = {}
        for folder in folders:
            if (last := tidy(folder).rpartition("/")[2])[:1] == ".":
                self._hidden.setdefault(last, []).append(folder)

    def holding(self, target: str, *, known: bool) -> Iterator[str]:
        """Yield a target inside each of the denied folders that its name may mean."""
        # The folder of a known target is unknown; another target may begin with a variable.
        below = target if known else OPEN.sub("$", target).rpartition("$")[2].partition("/")[2]
        if below[:1] == ".":
            first = below.partition("/")[0]
            yield from (folder + below[len(first) :] for folder in self._hidden.get(first, ()))


_MOST_PARTS: Final = 40  # of a path; a longer one is not examined
_MOST_ENTRIES: Final = 2_000  # of a folder that are compared
_MOST_FOUND: Final = 200  # files that match one glob
_STARS: Final = re.compile(r"\*+")


class BaseFolders(msgspec.Struct, frozen=True, gc=False):
    """The home and the project, in parts; a glob that begins with them does not name them on purpose."""

    home: tuple[str, ...]
    project: tuple[str, ...]


class _Denied(msgspec.Struct, frozen=True, gc=False):
    """A denied path in parts; `**` stands for any number of them."""

    parts: tuple[str, ...]
    floating: bool  # it may be anywhere: it begins with `**`
    tail: tuple[str, ...]  # its parts without that `**`
    is_plain: bool  # it has no other `**`


class DeniedGlobs:
    """The denied paths of one policy for one kind of effect."""

    def __init__(self, globs: Iterable[str], home: str) -> None:
        self._denied: Final = tuple(dict.fromkeys(map(_parse, globs)))
        self._home: Final = split_path(home)

    def met_by(self, target: str, folder: str, project: str) -> Iterator[str]:
        """Yield the paths that a path with wildcards may mean, if they are denied or exist."""
        parts = split_path(tidy(os.path.join(folder or "/", target)))
        if len(parts) > _MOST_PARTS:
            return
        place = BaseFolders(self._home, split_path(project))
        if ANY_DEPTH in parts:
            yield from self._found_below(parts, place)
            return
        is_bare_glob = False
        for denied in self._denied:
            fit = _fitting(parts, denied, place)
            if fit is None:
                continue
            if fit.shown:
                yield "/" + "/".join(fit.parts)
            else:
                is_bare_glob = True
        if is_bare_glob:  # a bare `*` means the files that exist
            yield from list_matches(parts)

    def _found_below(self, parts: tuple[str, ...], place: BaseFolders) -> Iterator[str]:
        """Yield the denied files that a search below a folder may find."""
        start, name = parts[: parts.index(ANY_DEPTH)], parts[-1]
        for denied in self._denied:
            *folder, last = denied.tail or ("",)
            met = match_name(name, last) if last else None
            if met is None or ANY_DEPTH in folder:
                continue
            at_home = (*place.home, *folder) if denied.floating else tuple(folder)
            above = _is_above(start, at_home)  # the searched folder contains the denied one
            if above and last != ANY_DEPTH and not is_bare(name):
                yield "/".join(("", *at_home, met.text))
            elif above or denied.floating:
                where = at_home if above else (*start, *folder)
                files = list_matches((*where, name if last == ANY_DEPTH else last))
                yield from (file for file in files if match_name(name, file.rpartition("/")[2]) is not None)


def _is_above(start: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Return whether a folder, perhaps with wildcards, is or contains another."""
    if len(start) > len(folder):
        return False
    return all(match_name(glob, name) is not None for glob, name in zip(start, folder, strict=False))


class _Fit(msgspec.Struct, frozen=True, gc=False):
    """A denied path that a glob may match, and whether the glob names a part of it."""

    parts: tuple[str, ...]
    shown: bool


def _parse(glob: str) -> _Denied:
    parts: list[str] = [] if glob.startswith("/") else [ANY_DEPTH]
    names = split_path(glob)
    for at, part in enumerate(names):
        stars = _STARS.sub("*", part)
        if stars == "*":
            parts.append(ANY_DEPTH)
            continue
        # The wildcards of a pattern also match slashes.
        parts += (ANY_DEPTH, stars) if stars[0] == "*" else (stars,)
        if stars[-1] == "*" and at < len(names) - 1:
            parts.append(ANY_DEPTH)
    once = tuple(p for at, p in enumerate(parts) if p != ANY_DEPTH or parts[at - 1 : at] != [ANY_DEPTH])
    floating = once[:1] == (ANY_DEPTH,)
    tail = once[1:] if floating else once
    return _Denied(once, floating, tail, floating and ANY_DEPTH not in tail)


def _fitting(parts: tuple[str, ...], denied: _Denied, place: BaseFolders) -> _Fit | None:
    """Return how a path with wildcards matches a denied one, preferably by naming a part of it."""
    if denied.is_plain:
        first = len(parts) - len(denied.tail)
        return _align(parts, denied.tail, first, place) if first >= 0 else None
    fit: _Fit | None = None
    for way in _ways(parts, denied.parts, 0, 0):
        fit = _fit_of(parts, [*way], place)
        if fit.shown:
            break
    return fit


def _align(parts: tuple[str, ...], tail: Sequence[str], first: int, place: BaseFolders) -> _Fit | None:
    way: list[tuple[int, Wild | None]] = [(at, None) for at in range(first)]
    for at in range(len(tail) - 1, -1, -1):  # most paths differ in their last name
        met = match_name(parts[first + at], tail[at])
        if met is None:
            return None
        way.insert(first, (first + at, met))
    return _fit_of(parts, way, place)


_Way = list[tuple[int, Wild | None]]


def _ways(parts: tuple[str, ...], denied: tuple[str, ...], at: int, to: int) -> Iterator[_Way]:
    """Yield the ways to match parts with those of a denied path; None for a part matched by `**`."""
    if to == len(denied):
        if at == len(parts):
            yield []
        return
    if denied[to] == ANY_DEPTH:
        yield from _ways(parts, denied, at, to + 1)
        if at < len(parts):
            yield from ([(at, None), *rest] for rest in _ways(parts, denied, at + 1, to))
        return
    if at < len(parts) and (met := match_name(parts[at], denied[to])) is not None:
        yield from ([(at, met), *rest] for rest in _ways(parts, denied, at + 1, to + 1))


def _fit_of(parts: tuple[str, ...], way: _Way, place: BaseFolders) -> _Fit:
    """Return the path that is matched, and whether the glob names a part of it."""
    known = len(place.project) if parts[: len(place.project)] == place.project else 0
    inside = bool(known)
    if not known and parts[: len(place.home)] == place.home:
        known = len(place.home)
    met = [(at, wild) for at, wild in way if wild is not None]
    shown = all(wild.written for _, wild in met) and bool(met)
    for at, wild in met:
        if at >= known and wild.says:
            # A plain folder of a project may have such a name by chance.
            plain = wild.written and inside and at < len(parts) - 1 and not wild.text.startswith(".")
            shown = shown or not plain
    return _Fit(tuple(parts[at] if wild is None else wild.text for at, wild in way), shown)


def split_path(path: str) -> tuple[str, ...]:
    """Return the names in a path."""
    return tuple(part for part in path.split("/") if part and part != ".")


def list_matches(parts: Sequence[str]) -> Iterator[str]:
    """Yield the existing files that a path with wildcards matches, up to a limit."""
    paths = [""]
    for part in parts:
        paths = [path for above in paths for path in _below(above, part)][:_MOST_FOUND]
    yield from (path for path in paths if os.path.lexists(path))


def _below(folder: str, part: str) -> Iterator[str]:
    if not _GLOB.search(part):
        yield f"{folder}/{part}"
        return
    try:
        with os.scandir(folder or "/") as entries:
            for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False):
                if match_name(part, entry.name) is not None:
                    yield f"{folder}/{entry.name}"
    except (OSError, ValueError):
        return
