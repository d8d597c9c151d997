"""A file path in every spelling a pattern may be written against."""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.effects.paths.forms import (
    composed,
    expand_home,
    expand_variables,
    folded,
    folded_letters,
    from_outside,
    relative,
    squeezed,
    tidy,
)
from interlock.effects.paths.links import Lead, Links
from interlock.effects.text import Reading, repaired

_NOT_PLAIN: Final = re.compile(r"\.\.|[$\0]")  # may be another place than its text says
_IN_NO_BASE: Final = 2  # spellings of a place that lies in none


def read_path(path: str, cwd: str, project: str | None = None) -> Reading:
    """Resolve `..`, `~` and links; deny tests every spelling, allow only where the path really leads.

    Patterns speak of paths in the project. A deny also tests them against the folder the agent has gone to.
    """
    return PathReader(cwd, project).read(path)


class _Bases(msgspec.Struct, frozen=True, gc=False):
    """The folders that relative patterns may start from."""

    real: str  # where the project leads
    project: tuple[str, ...]
    here: tuple[str, ...]


class PathReader:
    """Reads the paths of one call; each folder on their way is looked at once."""

    def __init__(self, cwd: str, project: str | None = None, *, home: str | None = None) -> None:
        self._nul: Final = "\0" in cwd or "\0" in (project or "")
        self._here: Final = tidy(cwd or "/")
        self._project: Final = tidy(project) if project else self._here
        self._home: Final = home
        self._links: Final = Links(self._here)
        self._bases: _Bases | None = None

    def read(self, path: str) -> Reading:
        """The spellings of one path."""
        if self._nul or "\0" in path:
            return Reading(deny=(path,), allow=((path,),), unread="the path contains a NUL character")
        # `../x` as written speaks of the agent's folder, which a pattern does not: its places say it better.
        upwards = path == ".." or path.startswith("../")
        found: list[str] = [] if upwards else [path, *_forms(path)]
        allow: list[tuple[str, ...]] = []
        unread = None
        for written in self._absolutes(path):
            plain = tidy(written)
            leads = self._leads(written, plain)
            bases = self._find_bases()
            found += _spellings(_places(plain, leads), bases)
            for lead in leads:
                allow.append(_inwards(repaired(lead.real), repaired(bases.real)))
                unread = unread or _unread(lead)
        return Reading(deny=_distinct(found), allow=tuple(dict.fromkeys(allow)), unread=unread)

    def denied_spellings(self, path: str) -> Sequence[str]:
        """What a deny compares, without what only an allow asks for."""
        if self._nul or path[:1] == "~" or not path.isascii() or _NOT_PLAIN.search(path):
            return self.read(path).deny
        plain = tidy(os.path.join(self._here, path))
        lead = self._links.follow(plain)
        if lead.real != plain or lead.through:
            return self.read(path).deny
        # One place, by its text: what nearly every path is.
        return tuple(dict.fromkeys((path, *_forms(path), *_spellings((plain,), self._find_bases()))))

    def _absolutes(self, path: str) -> tuple[str, ...]:
        """What the text may stand for: a program may or may not put `$HOME` in."""
        starts: tuple[str, ...] = (path,)
        if path.startswith("~"):
            starts = (expand_home(path, self._home_folder()),)
        elif "$" in path:
            starts = tuple(dict.fromkeys((path, expand_variables(path, self._home_folder(), self._here))))
        return tuple(os.path.join(self._here, start) for start in starts)

    def _home_folder(self) -> str:
        return os.path.expanduser("~") if self._home is None else self._home

    def _leads(self, written: str, plain: str) -> tuple[Lead, ...]:
        """Where it leads for a program that tidies the text first and for the system: `link/..` differs."""
        first = self._links.follow(plain)
        if "/.." not in written:
            return (first,)
        second = self._links.follow(squeezed(written))
        return (first,) if second == first else (first, second)

    def _find_bases(self) -> _Bases:
        """The project and the event's folder, by their text and by where they lead."""
        if self._bases is None:
            real = self._links.follow(self._project).real
            project = (self._project,) if real == self._project else (self._project, real)
            here: tuple[str, ...] = ()
            if self._here != self._project:
                here = tuple(dict.fromkeys((self._here, self._links.follow(self._here).real)))
            self._bases = _Bases(real, project, here)
        return self._bases


def _spellings(places: tuple[str, ...], bases: _Bases) -> list[str]:
    """Every place, then those forms of it that some disk takes for the same name."""
    found = [text for place in places for text in _from_bases(place, bases)]
    forms = dict.fromkeys([form for place in places for form in _forms(place) if form not in places])
    if forms:
        wider = _Bases(bases.real, _with_forms(bases.project), _with_forms(bases.here))
        found += [text for form in forms for text in _from_bases(form, wider)]
    return found


def _forms(path: str) -> tuple[str, ...]:
    """The names some disk takes for the same, from the nearest to the farthest."""
    far = folded(path)
    return (far,) if far == path else (composed(path), folded_letters(path), far)


def _with_forms(bases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for base in bases for form in (base, *_forms(base))))


def _places(plain: str, leads: tuple[Lead, ...]) -> tuple[str, ...]:
    """Where the path passes through, by its text and by its links."""
    if len(leads) == 1 and leads[0].real == plain and not leads[0].through:
        return (plain,)
    steps = (step for lead in leads for step in (*lead.through, lead.real))
    return tuple(dict.fromkeys((plain, *map(tidy, steps))))


def _from_bases(place: str, bases: _Bases) -> list[str]:
    """Absolute, its name alone, from every base it lies in, and with `..` from outside the project."""
    found = [place, place.rpartition("/")[2] or place]
    for base in bases.project:
        _add_within(found, place, base)
    if len(found) == _IN_NO_BASE:
        found.append(from_outside(place, bases.real))
    for base in bases.here:
        _add_within(found, place, base)
    return found


def _add_within(found: list[str], place: str, base: str) -> None:
    within = relative(place, base)
    if within is not None:
        found += (within,) if within == "." else (within, f"./{within}")


def _inwards(path: str, base: str) -> tuple[str, ...]:
    """The absolute path and, inside the base folder, the path relative to it with and without `./`."""
    within = relative(path, base)
    if within is None or within == ".":
        return (path,) if within is None else (path, within)
    return (within, path, f"./{within}")


def _distinct(texts: list[str]) -> tuple[str, ...]:
    once = dict.fromkeys(texts)
    if any(not text.isascii() for text in once):
        once = dict.fromkeys(map(repaired, once))
    return tuple(once)


def _unread(lead: Lead) -> str | None:
    if repaired(lead.real) != lead.real:
        return "the path leads to a name that is not text"  # it can still be denied, never allowed
    return lead.odd
