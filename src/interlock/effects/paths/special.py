"""Paths that name something else than a file: devices, descriptors, and another process's view."""

from __future__ import annotations

import os
import re
from typing import Final

import msgspec

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
# Doors of one system that open on the same files.
_DOORS: Final = ("/System/Volumes/Data", "/.nofollow")
_ROOTS: Final = ("/dev", "/proc", "/.vol", *_DOORS)


class Special(msgspec.Struct, frozen=True, gc=False):
    """What is known about such a path."""

    leads: str | None = None  # the path it stands for; None: it is the end of the way
    odd: str | None = None  # why no allow pattern may cover it


def is_special(path: str) -> bool:
    """Whether a tidy path has to be asked about at all."""
    return path.startswith(_ROOTS)


def special(path: str, cwd: str) -> Special | None:
    """What a path without `.` and doubled slashes stands for; None for an ordinary one."""
    for door in _DOORS:
        if path == door or path.startswith(door + "/"):
            return Special(leads=path[len(door) :] or "/")
    if any(path == raw or path.startswith(raw + "/") for raw in _RAW):
        return Special(odd="the path reaches files or memory without their names")
    if path == "/dev" or path.startswith("/dev/"):
        return _device(path)
    return _in_proc(path, cwd) if path.startswith("/proc/") else None


def socket_host(path: str) -> str | None:
    """The host a shell would connect to for `/dev/tcp/HOST/PORT`; None for other paths."""
    found = _SOCKET.fullmatch(path)
    return found["host"] if found else None


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
    found = _PROCESS.fullmatch(path)
    if found is None:
        upwards = "/.." in path  # `/proc/net/..` is a process's folder
        return Special(odd="the path goes through the /proc folder of a process" if upwards else None)
    what, rest = found["what"], found["rest"] or ""
    odd = "the path is in the /proc folder of a process"
    if what == "root":
        return Special(leads=rest or "/", odd=odd)
    if what == "cwd":
        return Special(leads=_working_folder(found["process"], cwd) + rest, odd=odd)
    return Special(odd=odd)


def _working_folder(process: str, cwd: str) -> str:
    """The folder of a process; `self` is the one that will run, which starts where the agent is."""
    if not process.isdigit():
        return cwd
    try:
        return os.readlink(f"/proc/{process}/cwd")
    except OSError:
        return cwd
