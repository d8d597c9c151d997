"""Everything a process has started that still runs, and ending it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from interlock.daemon.process_tree import Process, process

_SECONDS: Final = 5.0


def descendants(pid: int) -> list[Process]:
    """The processes below one, the nearest first; one whose own parent has gone is nobody's any more."""
    children: dict[int, list[Process]] = {}
    for one in filter(None, map(process, _numbers())):
        children.setdefault(one.parent, []).append(one)
    found: list[Process] = []
    above = [pid]
    while above:
        nearest = [one for parent in above for one in children.get(parent, ())]
        found += nearest
        above = [one.pid for one in nearest]
    return found


def end_all(those: Iterable[Process], number: int = signal.SIGTERM) -> None:
    """Send a signal to those that are still the same ones; a number may be somebody else's by now."""
    for one in those:
        now = process(one.pid)
        if now is not None and now.started == one.started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, number)


def _numbers() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - names only
    except OSError:
        return _from_ps()


def _from_ps() -> list[int]:
    command = ["/bin/ps", "-axo", "pid="]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - nothing of anybody's
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [int(word) for word in done.stdout.split()]
