"""A file path in every spelling a pattern may be written against."""

from __future__ import annotations

import os.path

from interlock.reading.text import Reading, repaired


def read_path(path: str, cwd: str) -> Reading:
    """Resolve `..`, `~` and links; deny tests every spelling, allow only where the path really leads."""
    if "\0" in path or "\0" in cwd:
        return Reading(deny=(path,), allow=((path,),), unread="the path holds a NUL")
    base = cwd or os.sep
    written = os.path.join(base, os.path.expanduser(path))
    plain = os.path.normpath(written)
    real_base = os.path.realpath(base)
    # `link/..` is one folder to a program that tidies the text first and another to the system: both count.
    reals: tuple[str, ...] = (os.path.realpath(plain),)
    if ".." in written:
        reals = tuple(dict.fromkeys((*reals, os.path.realpath(written))))
    spellings = (
        path,
        *_spellings(plain, base),
        *(spelling for real in reals for spelling in _spellings(real, real_base)),
        *(os.path.basename(one) for one in (plain, *reals)),
    )
    # A link may lead to a name that is no text; such a path can still be denied, never allowed.
    texts = tuple(dict.fromkeys(repaired(spelling) for spelling in spellings))
    whole = all(repaired(real) == real for real in reals)
    return Reading(
        deny=texts,
        allow=tuple(tuple(map(repaired, _spellings(real, real_base))) for real in reals),
        unread=None if whole else "the path leads to a name that is no text",
    )


def _spellings(path: str, base: str) -> tuple[str, ...]:
    """The absolute path and, inside the base folder, the path relative to it."""
    inside = base.rstrip(os.sep) + os.sep
    return (path[len(inside) :], path) if path.startswith(inside) else (path,)
