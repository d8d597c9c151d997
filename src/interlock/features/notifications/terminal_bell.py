"""The bell of the terminal an agent runs in: what a person hears who looks elsewhere."""

from __future__ import annotations

import logging
import os
import subprocess
from pathlib import Path
from typing import Final

_log: Final = logging.getLogger(__name__)
_PROC: Final = Path("/proc")
_DEVICE: Final = 4  # in `/proc/PID/stat`, counted behind the name
_DEV: Final = Path("/dev")
_PSEUDO: Final = range(136, 144)  # the device numbers of terminals that are windows
_CONSOLE: Final = 4
_SECONDS: Final = 2.0


def ring(terminal: Path) -> None:
    """Ring it; a terminal that has gone, or that takes nothing, rings no bell and stops nobody."""
    try:
        descriptor = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        _log.info("no bell at `%s`: %s", terminal, error)
        return
    try:
        if os.isatty(descriptor):
            os.write(descriptor, b"\a")
    except OSError as error:
        _log.info("no bell at `%s`: %s", terminal, error)
    finally:
        os.close(descriptor)


def terminal_of(pid: int) -> Path | None:
    """The terminal a process belongs to, by the system's word; None for one without."""
    if not _PROC.joinpath("self", "stat").exists():
        return _from_ps(pid)
    try:
        text = _PROC.joinpath(str(pid), "stat").read_bytes().decode("utf-8", "replace")
        # The name may hold anything, also blanks and brackets: it ends at the last one.
        device = int(text.rpartition(")")[2].split()[_DEVICE]) & 0xFFFFFFFF
    except (OSError, ValueError, IndexError):
        return None
    return _named(device) if device else None


def _named(device: int) -> Path | None:
    major, minor = os.major(device), os.minor(device)
    if major in _PSEUDO:
        path = _DEV / "pts" / str((major - _PSEUDO.start) * 256 + minor)
    elif major == _CONSOLE:
        path = _DEV / f"tty{minor}"
    else:
        return None
    try:
        return path if path.stat().st_rdev == device else None
    except OSError:
        return None


def _from_ps(pid: int) -> Path | None:
    command = ["/bin/ps", "-o", "tty=", "-p", str(pid)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603 - a number
    except (OSError, subprocess.TimeoutExpired):
        return None
    name = done.stdout.strip()
    return _DEV / name if name and "?" not in name and ".." not in name else None
