"""A file path in every spelling a pattern may be written against."""

from __future__ import annotations

import os.path

from interlock.reading.text import Reading, repaired


def read_path(path: str, cwd: str) -> Reading:
    """Resolve `..`, `~` and links; deny tests every spelling, allow only where the path really leads."""
    if "\0" in path or "\0" in cwd:
        return Reading(deny=(path,), allow=((path,),), unread="the path holds a NUL")
    base = cwd or os.sep
    plain = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
    real = os.path.realpath(plain)
    real_base = os.path.realpath(base)
    spellings = (
        path,
        *_spellings(plain, base),
        *_spellings(real, real_base),
        os.path.basename(plain),
        os.path.basename(real),
    )
    # A link may lead to a name that is no text; such a path can still be denied, never allowed.
    texts = tuple(dict.fromkeys(repaired(spelling) for spelling in spellings))
    unread = None if repaired(real) == real else "the path leads to a name that is no text"
    return Reading(deny=texts, allow=(tuple(map(repaired, _spellings(real, real_base))),), unread=unread)


def _spellings(path: str, base: str) -> tuple[str, ...]:
    """The absolute path and, inside the base folder, the path relative to it."""
    inside = base.rstrip(os.sep) + os.sep
    return (path[len(inside) :], path) if path.startswith(inside) else (path,)
