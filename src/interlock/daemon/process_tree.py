"""Processes and their ancestors, as the system reports them."""

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

from interlock.files.system_programs import run_program
from interlock.store.clock import since_boot

_PROC: Final = Path("/proc")
_DEEPEST: Final = 256
_DEAD: Final = frozenset("ZXx")  # states of a process that has ended
_STATE, _PARENT, _STARTED = 0, 1, 19  # fields in `/proc/PID/stat`, counted after the name
_SECONDS: Final = 2.0
_PS_FIELDS: Final = 7  # parent, five words of a date, and the program
_PS_TIME: Final = "%a_%b_%d_%H:%M:%S_%Y"
_TICKS: Final = os.sysconf("SC_CLK_TCK")  # a second, where Linux says when a process started

_REAL_USER: Final = re.compile(rb"^Uid:\s+(\d+)", re.MULTILINE)


class Process(NamedTuple):
    """One process; its start tells it from another with the same number."""

    pid: int
    parent: int
    started: str
    name: str
    dead: bool = False  # ended, but its parent has not waited for it yet


def process(pid: int) -> Process | None:
    """A running process; None if it is gone."""
    return _from_proc(pid) if _PROC.joinpath("self", "stat").exists() else _from_ps(pid)


def has_ended(pid: int, started: str) -> bool:
    """Whether a process has ended, even if its parent has not waited for it yet."""
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
    """A process and its ancestors, nearest first."""
    for _ in range(_DEEPEST):
        found = process(pid) if pid > 0 else None
        if found is None:
            return
        yield found
        pid = found.parent


def command_line(pid: int) -> bytes:
    """The arguments of a process, each ended by a zero byte; empty if unknown."""
    try:
        return _PROC.joinpath(str(pid), "cmdline").read_bytes()
    except OSError:
        return b""


def environment(pid: int) -> dict[str, str] | None:
    """The variables a process was started with; None if the system does not tell."""
    try:
        text = _PROC.joinpath(str(pid), "environ").read_bytes()
    except OSError:
        return None
    pairs = (os.fsdecode(variable).partition("=") for variable in text.split(b"\0"))
    return {name: value for name, equals, value in pairs if equals}


def began(target: Process) -> float:
    """When a process started, as a number to compare; infinity if unknown."""
    text = target.started.rpartition("/")[2]
    try:
        return float(text) if text.isdecimal() else time.mktime(time.strptime(text, _PS_TIME))
    except (ValueError, OverflowError):
        return float("inf")


def began_now() -> float:
    """The `began` of a process that starts now."""
    return since_boot() * _TICKS if sys.platform == "linux" else time.time()


def real_user(pid: int) -> int | None:
    """The user a process belongs to, also if its program runs as another; None if it is gone."""
    if not _PROC.joinpath("self", "stat").exists():
        number = _ps("ruid=", pid).strip()
        return int(number) if number.isdecimal() else None
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
    # The name may contain spaces and brackets: it ends at the last bracket.
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
        return run_program(command, seconds=_SECONDS, env={"LC_ALL": "C"}).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""


@cache
def _boot() -> str:
    """The id of this boot, from which the kernel counts process times."""
    try:
        return _PROC.joinpath("sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""
