"""What a path may turn out to be that only the run decides: a glob, a variable before a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
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


def guessed_folders(target: str, base: str, denied: Iterable[str], *, known: bool) -> Iterator[str]:
    """A target in each of the denied folders that it may lie in, or be."""
    parts = tidy(join(base, target)).split("/")
    globs = not known and _GLOB.search(target) is not None and len(parts) <= _MOST_PARTS
    # A known one starts from nobody knows where, another may begin with a variable.
    below = target if known else _OPEN.sub("$", target).rpartition("$")[2].partition("/")[2]
    for folder in denied:
        names = tidy(join(base, folder)).split("/")
        if globs and len(names) <= len(parts) and all(map(_may_be, parts, names)):
            yield "/".join((*names, *parts[len(names) :]))
        # Of all names those that are hidden are the ones that say where they belong.
        if names[-1][:1] == "." and f"{below}/".startswith(f"{names[-1]}/"):
            yield folder + below[len(names[-1]) :]


def _may_be(glob: str, name: str) -> bool:
    """Whether a part of a path with shell wildcards may become this name."""
    if glob == name:
        return True
    if not _GLOB.search(glob) or (name[:1] == "." and glob[0] != "."):
        return False
    return re.compile(translate(glob)).fullmatch(name) is not None
