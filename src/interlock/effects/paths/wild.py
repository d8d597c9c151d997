"""Denied paths that a shell's glob may turn out to be, or that a search of a tree may find."""

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
    """A name that both may be."""

    text: str
    written: bool  # the shell's glob is not a glob here, but this name
    says: bool  # something written in it is a part of the name


@lru_cache(maxsize=4_096)
def met_name(glob: str, denied: str) -> Wild | None:
    """The name that a part of a path with shell wildcards and a denied one may both be, or None."""
    wild = _GLOB.search(glob) is not None
    if ANY_DEPTH in (glob, denied):
        return Wild(denied if glob == ANY_DEPTH else glob, not wild, False)
    low, name = glob.lower(), denied.lower()
    if not wild:
        if low == name:
            return Wild(denied, True, True)
        return Wild(glob, True, True) if _GLOB.search(denied) and _matches(name, low) else None
    if name[0] == "." and low[0] != ".":
        return None  # a shell leaves hidden names out
    # What a denied glob spells without its wildcards is a name that it means.
    spelt = _WILDCARDS.sub("", denied) if _GLOB.search(denied) else denied
    if spelt and _matches(low, spelt.lower()):
        return Wild(spelt, False, not is_bare(glob))
    return _both(low, name) if spelt is not denied else None


def _both(glob: str, denied: str) -> Wild | None:
    """What two globs spell that share a written beginning or end, and differ in neither."""
    (first, last), (start, end) = _ends(glob), _ends(denied)
    begin, finish = max(first, start, key=len), max(last, end, key=len)
    fits = begin.startswith(first) and begin.startswith(start)
    fits = fits and finish.endswith(last) and finish.endswith(end)
    shared = (first and start) or (last and end)
    return Wild(begin + finish, False, not is_bare(glob)) if fits and shared else None


@lru_cache(maxsize=1_024)
def is_bare(name: str) -> bool:
    """Whether a name is a glob that says no more than a kind of file: `*`, `.*`, `*.py`."""
    return _BARE.fullmatch(_WILDCARDS.sub("*", name)) is not None


def _ends(glob: str) -> tuple[str, str]:
    """What is written before the first wildcard and behind the last."""
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
    """A target with the home it names put in."""
    if target == "~" or target.startswith("~/"):
        return home + target[1:]
    return _HOME.sub(lambda _: home, target) if "$" in target else target


class DeniedFolders:
    """Hidden folders that are denied: of all names those that say where they belong."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._hidden: Final[dict[str, list[str]]] = {}
        for folder in folders:
            if (last := tidy(folder).rpartition("/")[2])[:1] == ".":
                self._hidden.setdefault(last, []).append(folder)

    def holding(self, target: str, *, known: bool) -> Iterator[str]:
        """A target in each of the folders that it may lie in, or be."""
        # A known one starts from nobody knows where, another may begin with a variable.
        below = target if known else OPEN.sub("$", target).rpartition("$")[2].partition("/")[2]
        if below[:1] == ".":
            first = below.partition("/")[0]
            yield from (folder + below[len(first) :] for folder in self._hidden.get(first, ()))


_MOST_PARTS: Final = 40  # of a path; a longer one is not guessed at
_MOST_ENTRIES: Final = 2_000  # names of a folder that are looked at
_MOST_FOUND: Final = 200  # files that one glob stands for
_STARS: Final = re.compile(r"\*+")


class BaseFolders(msgspec.Struct, frozen=True, gc=False):
    """Where a call is judged: parts of paths that say nothing about what is meant by a glob in them."""

    home: tuple[str, ...]
    project: tuple[str, ...]


class _Denied(msgspec.Struct, frozen=True, gc=False):
    """One denied path in parts; `**` stands for any number of them."""

    parts: tuple[str, ...]
    floating: bool  # it may lie anywhere: its parts begin with a `**`
    tail: tuple[str, ...]  # its parts without that one
    is_plain: bool  # only its beginning may be any, as of most that may lie anywhere


class DeniedGlobs:
    """The denied paths of one policy for one kind of effect."""

    def __init__(self, globs: Iterable[str], home: str) -> None:
        self._denied: Final = tuple(dict.fromkeys(map(_parse, globs)))
        self._home: Final = parts_of(home)

    def met_by(self, target: str, folder: str, project: str) -> Iterator[str]:
        """The paths that a path with wildcards may be made, as far as they are denied or there."""
        parts = parts_of(tidy(os.path.join(folder or "/", target)))
        if len(parts) > _MOST_PARTS:
            return
        place = BaseFolders(self._home, parts_of(project))
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
        if is_bare_glob:  # what is there decides what a bare `*` stands for
            yield from there(parts)

    def _found_below(self, parts: tuple[str, ...], place: BaseFolders) -> Iterator[str]:
        """What a search finds: a denied file in the tree, by a name that it may have."""
        start, name = parts[: parts.index(ANY_DEPTH)], parts[-1]
        for denied in self._denied:
            *folder, last = denied.tail or ("",)
            met = met_name(name, last) if last else None
            if met is None or ANY_DEPTH in folder:
                continue
            at_home = (*place.home, *folder) if denied.floating else tuple(folder)
            above = _is_above(start, at_home)  # the tree holds the folder that is meant
            if above and last != ANY_DEPTH and not is_bare(name):
                yield "/".join(("", *at_home, met.text))
            elif above or denied.floating:
                where = at_home if above else (*start, *folder)
                files = there((*where, name if last == ANY_DEPTH else last))
                yield from (file for file in files if met_name(name, file.rpartition("/")[2]) is not None)


def _is_above(start: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """Whether a folder, perhaps with wildcards, is or holds another."""
    if len(start) > len(folder):
        return False
    return all(met_name(glob, name) is not None for glob, name in zip(start, folder, strict=False))


class _Fit(msgspec.Struct, frozen=True, gc=False):
    """A denied path that a glob may be, and whether a written part of the glob says that it is meant."""

    parts: tuple[str, ...]
    shown: bool


def _parse(glob: str) -> _Denied:
    parts: list[str] = [] if glob.startswith("/") else [ANY_DEPTH]
    names = parts_of(glob)
    for at, part in enumerate(names):
        stars = _STARS.sub("*", part)
        if stars == "*":
            parts.append(ANY_DEPTH)
            continue
        # A wildcard of a pattern does not stop at a slash.
        parts += (ANY_DEPTH, stars) if stars[0] == "*" else (stars,)
        if stars[-1] == "*" and at < len(names) - 1:
            parts.append(ANY_DEPTH)
    once = tuple(p for at, p in enumerate(parts) if p != ANY_DEPTH or parts[at - 1 : at] != [ANY_DEPTH])
    floating = once[:1] == (ANY_DEPTH,)
    tail = once[1:] if floating else once
    return _Denied(once, floating, tail, floating and ANY_DEPTH not in tail)


def _fitting(parts: tuple[str, ...], denied: _Denied, place: BaseFolders) -> _Fit | None:
    """A way in which a path with wildcards is a denied one, sooner one that is shown to be meant."""
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
    for at in range(len(tail) - 1, -1, -1):  # last names tell most paths apart
        met = met_name(parts[first + at], tail[at])
        if met is None:
            return None
        way.insert(first, (first + at, met))
    return _fit_of(parts, way, place)


_Way = list[tuple[int, Wild | None]]


def _ways(parts: tuple[str, ...], denied: tuple[str, ...], at: int, to: int) -> Iterator[_Way]:
    """The ways in which parts meet those of a denied path; None beside a part that meets any."""
    if to == len(denied):
        if at == len(parts):
            yield []
        return
    if denied[to] == ANY_DEPTH:
        yield from _ways(parts, denied, at, to + 1)
        if at < len(parts):
            yield from ([(at, None), *rest] for rest in _ways(parts, denied, at + 1, to))
        return
    if at < len(parts) and (met := met_name(parts[at], denied[to])) is not None:
        yield from ([(at, met), *rest] for rest in _ways(parts, denied, at + 1, to + 1))


def _fit_of(parts: tuple[str, ...], way: _Way, place: BaseFolders) -> _Fit:
    """Whether what is written in a glob is a part of what is denied: names that are its own."""
    known = len(place.project) if parts[: len(place.project)] == place.project else 0
    inside = bool(known)
    if not known and parts[: len(place.home)] == place.home:
        known = len(place.home)
    met = [(at, wild) for at, wild in way if wild is not None]
    shown = all(wild.written for _, wild in met) and bool(met)
    for at, wild in met:
        if at >= known and wild.says:
            # A plain folder of a project is called so by chance.
            plain = wild.written and inside and at < len(parts) - 1 and not wild.text.startswith(".")
            shown = shown or not plain
    return _Fit(tuple(parts[at] if wild is None else wild.text for at, wild in way), shown)


def parts_of(path: str) -> tuple[str, ...]:
    """The names of a path."""
    return tuple(part for part in path.split("/") if part and part != ".")


def there(parts: Sequence[str]) -> Iterator[str]:
    """The files that a path with wildcards stands for, as far as few are looked at."""
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
                if met_name(part, entry.name) is not None:
                    yield f"{folder}/{entry.name}"
    except (OSError, ValueError):
        return
