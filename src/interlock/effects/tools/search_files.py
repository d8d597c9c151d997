"""The files a search tool would look into, as far as its fields name them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Final

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_WILD: Final = re.compile(r"[*?\[]")
_SEPARATORS: Final = re.compile(r"[,\s]+")
_MAX_FORMS: Final = 64
_MAX_ENTRIES: Final = 2_000


def searched_files(folder: str, glob: str) -> tuple[str, ...]:
    """Paths from the folder that a glob of file names lets a search read.

    A wildcard is given as nothing and as the files that lie in the folder itself: a search prints hidden
    files when a glob names them. What lies deeper is not listed.
    """
    found: dict[str, None] = {}
    for one in _forms(glob):
        name = one.removeprefix("!")
        if name != one or not name:
            continue
        if _WILD.search(name):
            found.update(dict.fromkeys((*_emptied(name), *_present(folder, name))))
        else:
            found[name] = None
    return tuple(found)


def search_root(folder: str, pattern: str) -> str:
    """Where a search by path pattern begins: what stands before the first wildcard, from the folder."""
    literal = re.split(r"[*?\[{]", pattern, maxsplit=1)[0]
    start = literal if literal == pattern else literal.rpartition("/")[0] + "/" * (literal == "/")
    if literal != pattern and literal.startswith("/") and not start:
        start = "/"
    return os.path.join(folder, start) if start else folder


def _forms(glob: str) -> list[str]:
    """A glob with its braces written out and its lists taken apart."""
    forms: list[str] = [glob]
    done: list[str] = []
    while forms and len(done) + len(forms) <= _MAX_FORMS:
        one = forms.pop()
        braces = _BRACES.search(one)
        if braces is None:
            done.append(one)
            continue
        before, after = one[: braces.start()], one[braces.end() :]
        forms += [before + choice + after for choice in braces[1].split(",")]
    return [part for one in (*done, *forms) for part in (one, *_SEPARATORS.split(one)) if part]


def _emptied(name: str) -> Iterator[str]:
    bare = re.sub(r"\*+/", "", name)
    bare = re.sub(r"[*?]", "", re.sub(r"\[([^]]?)[^]]*\]", r"\1", bare))
    if bare.strip("/."):
        yield bare


def _present(folder: str, name: str) -> Iterator[str]:
    plain = re.sub(r"^(?:\*+/)+", "", name)
    if "/" in plain:
        return
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= _MAX_ENTRIES:
                    return
                if fnmatchcase(entry.name, plain) and not entry.is_dir():
                    yield entry.name
    except (OSError, ValueError):
        return
