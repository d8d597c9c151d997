"""What a path may turn out to be that only the run decides: a glob, a variable before a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate
from functools import lru_cache
from os.path import join
from typing import Final

from interlock.reading.paths.forms import tidy

_GLOB: Final = re.compile(r"[*?\[]")
_HOME: Final = re.compile(r"\$(?:HOME\b|\{HOME\b[^}]*\})")
_OPEN: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+")
_MOST_PARTS: Final = 40  # of a path; a longer one is not guessed at


def guessed_names(target: str, home: str, names: Iterable[str]) -> Iterator[str]:
    """A target with the home it names put in, and with each of the given last names that it may have."""
    if target == "~" or target.startswith("~/"):
        yield home + target[1:]
    elif "$" in target and (at_home := _HOME.sub(lambda _: home, target)) != target:
        yield at_home
    above, slash, last = target.rpartition("/")
    if _GLOB.search(last):
        yield from (above + slash + name for name in names if _may_be(last, name))


class DeniedFolders:
    """Folders that are denied, found by the parts of a path: however many there are, few are looked at."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._rooted: Final = _Tree()
        self._loose: Final = _Tree()  # those that start from wherever the call does
        self._hidden: Final[dict[str, list[str]]] = {}
        for folder in folders:
            plain = tidy(folder)
            tree = self._rooted if plain[:1] == "/" else self._loose
            tree.add(plain.strip("/").split("/"))
            # Of all names those that are hidden are the ones that say where they belong.
            if (last := plain.rpartition("/")[2])[:1] == ".":
                self._hidden.setdefault(last, []).append(folder)

    def holding(self, target: str, base: str, *, known: bool) -> Iterator[str]:
        """A target in each of the folders that it may lie in, or be."""
        if not known and _GLOB.search(target) is not None:
            yield from self._matched(target, base)
        # A known one starts from nobody knows where, another may begin with a variable.
        below = target if known else _OPEN.sub("$", target).rpartition("$")[2].partition("/")[2]
        if below[:1] == ".":
            first = below.partition("/")[0]
            yield from (folder + below[len(first) :] for folder in self._hidden.get(first, ()))

    def _matched(self, target: str, base: str) -> Iterator[str]:
        whole = tidy(join(base, target))
        parts = whole.strip("/").split("/")
        if len(parts) > _MOST_PARTS:
            return
        root = "/" if whole[:1] == "/" else ""
        if root:
            yield from (root + "/".join(found) for found in self._rooted.met_by(parts))
        above = tidy(base).strip("/").split("/") if base.strip("/") else []
        if (root == "/") == (base[:1] == "/"):
            rest = parts[len(above) :]
            if rest and all(map(_may_be, parts, above)):
                yield from (root + "/".join((*above, *found)) for found in self._loose.met_by(rest))


class _Tree:
    """Paths by their parts."""

    __slots__ = ("below", "ends")

    def __init__(self) -> None:
        self.below: dict[str, _Tree] = {}
        self.ends = False  # one of the paths ends here

    def add(self, parts: Sequence[str]) -> None:
        """Put in one path."""
        tree = self
        for part in parts:
            tree = tree.below.setdefault(part, _Tree())
        tree.ends = True

    def met_by(self, parts: Sequence[str], at: int = 0) -> Iterator[list[str]]:
        """The parts of a path with wildcards, as far as they may be one of these made one of them."""
        if self.ends:
            yield list(parts[at:])
        if at == len(parts):
            return
        part = parts[at]
        alone = self.below.get(part)
        below = [(part, alone)] if alone is not None else []
        if _GLOB.search(part):
            below = [(name, tree) for name, tree in self.below.items() if _may_be(part, name)]
        for name, tree in below:
            yield from ([name, *found] for found in tree.met_by(parts, at + 1))


def _may_be(glob: str, name: str) -> bool:
    """Whether a part of a path with shell wildcards may become this name."""
    if glob == name:
        return True
    if not _GLOB.search(glob) or (name[:1] == "." and glob[0] != "."):
        return False
    return glob == "*" or _expression(glob).fullmatch(name) is not None


@lru_cache(maxsize=256)
def _expression(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))
