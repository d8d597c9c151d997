"""Where a path really leads, each link on the way included."""

from __future__ import annotations

import errno
import os
from typing import Final

import msgspec

from interlock.effects.paths.forms import squeezed
from interlock.effects.paths.special import is_special, special

_MAX_LINKS: Final = 40  # as many as the system follows
_O_PATH: Final = getattr(os, "O_PATH", 0)  # Linux only
_UNSEEN: Final = "\0"  # no link holds it


class Lead(msgspec.Struct, frozen=True, gc=False):
    """The end of a path and the places it passes through."""

    real: str
    through: tuple[str, ...] = ()
    odd: str | None = None  # why no allow pattern may cover it


class Links:
    """The links seen while one call is judged, each looked up once."""

    def __init__(self, cwd: str) -> None:
        self._cwd: Final = cwd
        self._targets: Final[dict[str, str | None]] = {}  # empty: no link; None: not there
        self._straight: Final[set[str]] = set()  # known to hold no link, with all that lies above them

    def follow(self, path: str) -> Lead:
        """Follow an absolute, squeezed path as the system would; what does not exist is taken as written."""
        if not is_special(path) and "/.." not in path and self._is_straight(path):
            return Lead(path)
        through: list[str] = []
        odd = None
        links = 0
        while links <= _MAX_LINKS:
            known = special(path, self._cwd) if is_special(path) else None
            if known is not None:
                odd = odd or known.odd
                if known.leads is None:
                    return Lead(path, tuple(through), odd)
                step, links = known.leads, links + 1
            else:
                found, up = self._first_turn(path)
                if found is None:
                    return Lead(path, tuple(through), odd)
                step, links = found, links + (not up)
            path = squeezed(step)
            through.append(path)
        return Lead(path, tuple(through), "the links of the path form a circle")

    def _first_turn(self, path: str) -> tuple[str | None, bool]:
        """The path after its first link or `..` is taken, and whether that was a `..`."""
        end, missing = 0, False
        while end < len(path):
            start, end = end, path.find("/", end + 1)
            end = len(path) if end < 0 else end
            if path[start:end] == "/..":
                return path[: max(path.rfind("/", 0, start), 0)] + path[end:] or "/", True
            if missing:
                continue
            target = self._target(path[:end])
            if target:
                folder = "" if target.startswith("/") else path[:start] + "/"
                return folder + target + path[end:], False
            missing = target is None
            if missing and "/.." not in path:
                break
        self._keep(path)
        return None, False

    def _target(self, prefix: str) -> str | None:
        """What a link holds; empty for what is not a link, None for what is not there."""
        known = self._targets.get(prefix, _UNSEEN)
        if known is not _UNSEEN:
            return known
        found: str | None = None
        try:
            found = os.readlink(prefix)
        except OSError as error:
            found = "" if error.errno == errno.EINVAL else None
        except ValueError:  # a name no disk can hold
            pass
        self._targets[prefix] = found
        return found

    def _is_straight(self, path: str) -> bool:
        """Whether the system itself says, in one question, that no part of the path is a link."""
        if self._is_known(path):
            return True
        if not _O_PATH:
            return False
        folder, _, _ = path.rpartition("/")
        known = len(folder) > 1 and self._is_known(folder)
        straight = not known and _as_opened(path) == path
        if not straight:
            known = known or (len(folder) > 1 and _as_opened(folder) == folder)
            straight = known and not self._target(path)
        if straight:
            self._keep(path)
        return straight

    def _is_known(self, path: str) -> bool:
        """Whether the path is, or lies above, one that holds no link."""
        return path in self._straight

    def _keep(self, path: str) -> None:
        while path and path not in self._straight:
            self._straight.add(path)
            path = path.rpartition("/")[0]


def _as_opened(path: str) -> str | None:
    """The path under which the system holds a file, without opening it for anything."""
    try:
        file = os.open(path, _O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        return os.readlink(f"/proc/self/fd/{file}")
    except OSError:
        return None
    finally:
        os.close(file)
