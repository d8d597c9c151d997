"""One name of a path, as a shell's glob and as a denied glob spell it: may both be the same name?"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import Final

import msgspec

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
