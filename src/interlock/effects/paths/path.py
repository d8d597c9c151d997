"""Reads a file path: every spelling that a pattern may be written for, and where it really leads."""

from __future__ import annotations

import errno
import os
import os.path
import re
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.effects.command import Reading, repaired
from interlock.effects.paths.globs import (
    compose,
    expand_home,
    expand_variables,
    fold,
    fold_letters,
    from_outside,
    relative,
    squeeze,
    tidy,
)

_PLAIN_DEVICES: Final = frozenset(
    f"/dev/{name}"
    for name in ("null", "stdin", "stdout", "stderr", "tty", "zero", "urandom", "random", "full")
)
SHARED_MEMORY: Final = "/dev/shm"  # noqa: S108 - compared with, never written to
_PROCESS: Final = re.compile(
    r"/proc/(?P<process>self|thread-self|\d+)(?:/task/\d+)*(?:/(?P<what>[^/]+)(?P<rest>/.*)?)?", re.DOTALL
)
_SOCKET: Final = re.compile(r"/dev/(?:tcp|udp)/(?P<host>[^/]+)(?:/.*)?", re.DOTALL)
_RAW: Final = ("/proc/kcore", "/proc/kmem", "/proc/kallsyms", "/.vol")
# Other paths to the same files on macOS.
_DOORS: Final = ("/System/Volumes/Data", "/.nofollow")
_ROOTS: Final = ("/dev", "/proc", "/.vol", *_DOORS)


class Special(msgspec.Struct, frozen=True, gc=False):
    """What is known about a special path."""

    leads: str | None = None  # the path it stands for; None if it stands for itself
    odd: str | None = None  # why no allow pattern may match it


def is_special(path: str) -> bool:
    """Return whether a tidy path may be special."""
    return path.startswith(_ROOTS)


def resolve_special(path: str, cwd: str) -> Special | None:
    """Return what a path without `.` and doubled slashes stands for, None for an ordinary one."""
    for door in _DOORS:
        if path == door or path.startswith(door + "/"):
            return Special(leads=path[len(door) :] or "/")
    if any(path == raw or path.startswith(raw + "/") for raw in _RAW):
        return Special(odd="the path reaches files or memory without their names")
    if path == "/dev" or path.startswith("/dev/"):
        return _device(path)
    return _in_proc(path, cwd) if path.startswith("/proc/") else None


def socket_host(path: str) -> str | None:
    """Return the host a shell would connect to for `/dev/tcp/HOST/PORT`, None for other paths."""
    match = _SOCKET.fullmatch(path)
    return match["host"] if match else None


def _device(path: str) -> Special | None:
    if path == "/dev" or path in _PLAIN_DEVICES:
        return Special()  # links such as `/dev/stdin` would lead into our own process
    if path == SHARED_MEMORY or path.startswith(SHARED_MEMORY + "/"):
        return None
    if socket_host(path):
        return Special(odd="the path is a network connection")
    if path.startswith("/dev/fd"):
        return Special(odd="the path is a descriptor, which only its process knows")
    return Special(odd="the path is a device")


def _in_proc(path: str, cwd: str) -> Special:
    match = _PROCESS.fullmatch(path)
    if match is None:
        upwards = "/.." in path  # `/proc/net/..` is a process's folder
        return Special(odd="the path goes through the /proc folder of a process" if upwards else None)
    what, rest = match["what"], match["rest"] or ""
    odd = "the path is in the /proc folder of a process"
    if what == "root":
        return Special(leads=rest or "/", odd=odd)
    if what == "cwd":
        return Special(leads=_working_folder(match["process"], cwd) + rest, odd=odd)
    return Special(odd=odd)


def _working_folder(process: str, cwd: str) -> str:
    """Return the folder of a process; `self` is the one that will run, in the folder of the agent."""
    if not process.isdigit():
        return cwd
    try:
        return os.readlink(f"/proc/{process}/cwd")
    except OSError:
        return cwd


_MAX_LINKS: Final = 40  # as many as the system follows
_O_PATH: Final = getattr(os, "O_PATH", 0)  # Linux only
_UNSEEN: Final = "\0"  # no link holds it


class Lead(msgspec.Struct, frozen=True, gc=False):
    """Where a path leads, and the links on its way."""

    real: str
    through: tuple[str, ...] = ()
    odd: str | None = None  # why no allow pattern may cover it


class Links:
    """The links on the paths of one call, each read once."""

    def __init__(self, cwd: str) -> None:
        self._cwd: Final = cwd
        self._targets: Final[dict[str, str | None]] = {}  # empty: no link; None: not there
        self._straight: Final[set[str]] = set()  # known to hold no link, with all that lies above them

    def follow(self, path: str) -> Lead:
        """Follow an absolute, squeezed path as the system would; missing parts stay as written."""
        if not is_special(path) and "/.." not in path and self._is_straight(path):
            return Lead(path)
        through: list[str] = []
        odd = None
        links = 0
        while links <= _MAX_LINKS:
            known = resolve_special(path, self._cwd) if is_special(path) else None
            if known is not None:
                odd = odd or known.odd
                if known.leads is None:
                    return Lead(path, tuple(through), odd)
                step, links = known.leads, links + 1
            else:
                turn, up = self._first_turn(path)
                if turn is None:
                    return Lead(path, tuple(through), odd)
                step, links = turn, links + (not up)
            path = squeeze(step)
            through.append(path)
        return Lead(path, tuple(through), "the links of the path form a loop")

    def _first_turn(self, path: str) -> tuple[str | None, bool]:
        """Return the path after its first link or `..` is resolved, and whether that was a `..`."""
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
        """Return the target of a link; empty for anything else, None if nothing is there."""
        cached = self._targets.get(prefix, _UNSEEN)
        if cached is not _UNSEEN:
            return cached
        target: str | None = None
        try:
            target = os.readlink(prefix)
        except OSError as error:
            target = "" if error.errno == errno.EINVAL else None
        except ValueError:  # a name no disk can hold
            pass
        self._targets[prefix] = target
        return target

    def _is_straight(self, path: str) -> bool:
        """Return whether no part of the path is a link; the system answers that in one call."""
        if path in self._straight:
            return True
        if not _O_PATH:
            return False
        folder, _, _ = path.rpartition("/")
        known = len(folder) > 1 and folder in self._straight
        straight = not known and _as_opened(path) == path
        if not straight:
            known = known or (len(folder) > 1 and _as_opened(folder) == folder)
            straight = known and not self._target(path)
        if straight:
            self._keep(path)
        return straight

    def _keep(self, path: str) -> None:
        while path and path not in self._straight:
            self._straight.add(path)
            path = path.rpartition("/")[0]


def _as_opened(path: str) -> str | None:
    """Return the real path of a file, without reading it."""
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


_NOT_PLAIN: Final = re.compile(r"\.\.|[$\0]")  # may be another place than its text says
_IN_NO_BASE: Final = 2  # spellings of a place that lies in none


def read_path(path: str, cwd: str, project: str | None = None) -> Reading:
    """Resolve `..`, `~` and links; deny tests every spelling, allow only where the path really leads.

    Patterns are about paths in the project. A deny also tests them against the folder the agent has gone to.
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
        """Return the spellings of one path."""
        if self._nul or "\0" in path:
            return Reading(deny=(path,), allow=((path,),), unread="the path contains a NUL character")
        # `../x` is relative to the agent's folder and a pattern is not, so only the full paths count.
        upwards = path == ".." or path.startswith("../")
        deny: list[str] = [] if upwards else [path, *_forms(path)]
        allow: list[tuple[str, ...]] = []
        unread = None
        for written in self._absolutes(path):
            plain = tidy(written)
            leads = self._leads(written, plain)
            bases = self._find_bases()
            deny += _spellings(_places(plain, leads), bases)
            for lead in leads:
                allow.append(_inwards(repaired(lead.real), repaired(bases.real)))
                unread = unread or _unread(lead)
        return Reading(deny=_distinct(deny), allow=tuple(dict.fromkeys(allow)), unread=unread)

    def denied_spellings(self, path: str) -> Sequence[str]:
        """Return what a deny compares, which is faster than `read`."""
        if self._nul or path[:1] == "~" or not path.isascii() or _NOT_PLAIN.search(path):
            return self.read(path).deny
        plain = tidy(os.path.join(self._here, path))
        lead = self._links.follow(plain)
        if lead.real != plain or lead.through:
            return self.read(path).deny
        # Nearly every path leads to one place, the one it names.
        return tuple(dict.fromkeys((path, *_forms(path), *_spellings((plain,), self._find_bases()))))

    def _absolutes(self, path: str) -> tuple[str, ...]:
        """Return the absolute paths the text may stand for: a program may or may not expand `$HOME`."""
        starts: tuple[str, ...] = (path,)
        if path.startswith("~"):
            starts = (expand_home(path, self._home_folder()),)
        elif "$" in path:
            starts = tuple(dict.fromkeys((path, expand_variables(path, self._home_folder(), self._here))))
        return tuple(os.path.join(self._here, start) for start in starts)

    def _home_folder(self) -> str:
        return os.path.expanduser("~") if self._home is None else self._home

    def _leads(self, written: str, plain: str) -> tuple[Lead, ...]:
        """Return where it leads for the system and for a program that tidies it first: `link/..` differs."""
        first = self._links.follow(plain)
        if "/.." not in written:
            return (first,)
        second = self._links.follow(squeeze(written))
        return (first,) if second == first else (first, second)

    def _find_bases(self) -> _Bases:
        """Return the project and the event's folder, as written and where they lead."""
        if self._bases is None:
            real = self._links.follow(self._project).real
            project = (self._project,) if real == self._project else (self._project, real)
            here: tuple[str, ...] = ()
            if self._here != self._project:
                here = tuple(dict.fromkeys((self._here, self._links.follow(self._here).real)))
            self._bases = _Bases(real, project, here)
        return self._bases


def _spellings(places: tuple[str, ...], bases: _Bases) -> list[str]:
    """Return every place, then the forms of it that some file systems take for the same name."""
    spellings = [text for place in places for text in _from_bases(place, bases)]
    forms = dict.fromkeys([form for place in places for form in _forms(place) if form not in places])
    if forms:
        wider = _Bases(bases.real, _with_forms(bases.project), _with_forms(bases.here))
        spellings += [text for form in forms for text in _from_bases(form, wider)]
    return spellings


def _forms(path: str) -> tuple[str, ...]:
    """Return the names that some file systems take for the same, the most similar first."""
    far = fold(path)
    return (far,) if far == path else (compose(path), fold_letters(path), far)


def _with_forms(bases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for base in bases for form in (base, *_forms(base))))


def _places(plain: str, leads: tuple[Lead, ...]) -> tuple[str, ...]:
    """Return the path as written and every path that its links lead through."""
    if len(leads) == 1 and leads[0].real == plain and not leads[0].through:
        return (plain,)
    steps = (step for lead in leads for step in (*lead.through, lead.real))
    return tuple(dict.fromkeys((plain, *map(tidy, steps))))


def _from_bases(place: str, bases: _Bases) -> list[str]:
    """Return a path as absolute, by its name, relative to its bases, and with `..` if outside the project."""
    spellings = [place, place.rpartition("/")[2] or place]
    for base in bases.project:
        _add_within(spellings, place, base)
    if len(spellings) == _IN_NO_BASE:
        spellings.append(from_outside(place, bases.real))
    for base in bases.here:
        _add_within(spellings, place, base)
    return spellings


def _add_within(spellings: list[str], place: str, base: str) -> None:
    within = relative(place, base)
    if within is not None:
        spellings += (within,) if within == "." else (within, f"./{within}")


def _inwards(path: str, base: str) -> tuple[str, ...]:
    """Return the absolute path and, inside the base, the relative path with and without `./`."""
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
