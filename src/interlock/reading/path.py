"""A file path in every spelling a pattern may be written against."""

from __future__ import annotations

import os.path

from interlock.reading.text import Reading, repaired


def read_path(path: str, cwd: str, project: str | None = None) -> Reading:
    """Resolve `..`, `~` and links; deny tests every spelling, allow only where the path really leads.

    Patterns speak of paths in the project. A deny also tests them against the folder the agent has gone to.
    """
    if "\0" in path or "\0" in cwd or "\0" in (project or ""):
        return Reading(deny=(path,), allow=((path,),), unread="the path holds a NUL")
    here = cwd or os.sep
    home = project or here
    written = os.path.join(here, os.path.expanduser(path))
    plain = os.path.normpath(written)
    # `link/..` is one folder to a program that tidies the text first and another to the system: both count.
    reals: tuple[str, ...] = (os.path.realpath(plain),)
    if ".." in written:
        reals = tuple(dict.fromkeys((*reals, os.path.realpath(written))))
    bases = tuple(dict.fromkeys((home, here)))
    real_bases = tuple(dict.fromkeys(os.path.realpath(base) for base in bases))
    spellings = (
        path,
        *(text for base in bases for text in _spellings(plain, base)),
        *(text for real in reals for base in real_bases for text in _spellings(real, base)),
        *(os.path.basename(one) for one in (plain, *reals)),
    )
    # A link may lead to a name that is no text; such a path can still be denied, never allowed.
    texts = tuple(dict.fromkeys(repaired(spelling) for spelling in spellings))
    whole = all(repaired(real) == real for real in reals)
    return Reading(
        deny=texts,
        allow=tuple(tuple(map(repaired, _spellings(real, real_bases[0]))) for real in reals),
        unread=None if whole else "the path leads to a name that is no text",
    )


def _spellings(path: str, base: str) -> tuple[str, ...]:
    """The absolute path and, inside the base folder, the path relative to it."""
    inside = base.rstrip(os.sep) + os.sep
    return (path[len(inside) :], path) if path.startswith(inside) else (path,)
