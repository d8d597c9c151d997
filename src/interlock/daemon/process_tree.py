"""Processes and those that started them, by the system's own word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from interlock.store.clock import since_boot

_PROC: Final = Path("/proc")
_DEEPEST: Final = 256
_DEAD: Final = frozenset("ZXx")  # states of a process that only waits to be forgotten
_STATE, _PARENT, _STARTED = 0, 1, 19  # in `/proc/PID/stat`, counted behind the name
_SECONDS: Final = 2.0
_PS_FIELDS: Final = 7  # parent, five words of a date, and the program
_PS_TIME: Final = "%a_%b_%d_%H:%M:%S_%Y"
_TICKS: Final = os.sysconf("SC_CLK_TCK")  # a second, where Linux says when a process started

_REAL_USER: Final = re.compile(rb"^Uid:\s+(\d+)", re.MULTILINE)


class Process(NamedTuple):
    """One process; a number used again is told apart by when it started."""

    pid: int
    parent: int
    started: str
    name: str
    dead: bool = False  # it has ended, and its parent has not taken notice


def process(pid: int) -> Process | None:
    """What the system knows of a process; None when it is gone."""
    return _from_proc(pid) if _PROC.joinpath("self", "stat").exists() else _from_ps(pid)


def has_ended(pid: int, started: str) -> bool:
    """Whether a process does nothing any more, also where whoever started it has not taken notice yet."""
    if not _PROC.joinpath("self", "stat").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False
    found = process(pid)
    return found is None or found.started != started or found.dead


def ancestors(pid: int) -> Iterator[Process]:
    """A process and those above it, the nearest first."""
    for _ in range(_DEEPEST):
        found = process(pid) if pid > 0 else None
        if found is None:
            return
        yield found
        pid = found.parent


def command_line(pid: int) -> bytes:
    """The words a process was started with, each ended by a zero byte; nothing where that is not known."""
    try:
        return _PROC.joinpath(str(pid), "cmdline").read_bytes()
    except OSError:
        return b""


def environment(pid: int) -> dict[str, str] | None:
    """The variables a process was started with; None where the system does not tell."""
    try:
        text = _PROC.joinpath(str(pid), "environ").read_bytes()
    except OSError:
        return None
    pairs = (os.fsdecode(one).partition("=") for one in text.split(b"\0"))
    return {name: value for name, equals, value in pairs if equals}


def began(one: Process) -> float:
    """When a process started: earlier ones have smaller numbers, and infinity where it is not known."""
    text = one.started.rpartition("/")[2]
    try:
        return float(text) if text.isdecimal() else time.mktime(time.strptime(text, _PS_TIME))
    except (ValueError, OverflowError):
        return float("inf")


def began_now() -> float:
    """When a process started that starts now."""
    return since_boot() * _TICKS if sys.platform == "linux" else time.time()


def real_user(pid: int) -> int | None:
    """Who a process belongs to, whatever rights its program has besides; None where it is gone."""
    if not _PROC.joinpath("self", "stat").exists():
        said = _ps("ruid=", pid).strip()
        return int(said) if said.isdecimal() else None
    try:
        status = _PROC.joinpath(str(pid), "status").read_bytes()
    except OSError:
        return None
    found = _REAL_USER.search(status)
    return int(found[1]) if found else None


def _from_proc(pid: int) -> Process | None:
    try:
        text = _PROC.joinpath(str(pid), "stat").read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    # The name may hold anything, also blanks and brackets: it ends at the last one.
    head, _, tail = text.rpartition(")")
    fields = tail.split()
    started, dead = f"{_boot()}/{fields[_STARTED]}", fields[_STATE] in _DEAD
    return Process(pid, int(fields[_PARENT]), started, head.partition("(")[2], dead)


def _from_ps(pid: int) -> Process | None:
    fields = _ps("ppid=,lstart=,comm=", pid).split(None, _PS_FIELDS - 1)
    if len(fields) < _PS_FIELDS:
        return None
    name = fields[-1].strip().rpartition("/")[2]
    return Process(pid, int(fields[0]), "_".join(fields[1:-1]), name)


def _ps(what: str, pid: int) -> str:
    command = ["/bin/ps", "-o", what, "-p", str(pid)]
    try:
        done = subprocess.run(  # noqa: S603 - a number
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


@cache
def _boot() -> str:
    """Which start of the machine this is: times of processes count from there."""
    try:
        return _PROC.joinpath("sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
