"""A terminal of its own for a command, and somebody who types there."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_ON_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)


def at_terminal(
    command: Sequence[str], *typed: bytes, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> tuple[int, str]:
    """Run a command on a terminal and type the next line each time it asks; its exit code and the screen."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _ON_TERMINAL, *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=None if env is None else dict(env),
        cwd=cwd,
        start_new_session=True,
    )
    os.close(theirs)
    waiting, screen = list(typed), b""
    while True:
        ready, _, _ = select.select([ours], [], [], 90)
        assert ready, screen
        try:
            more = os.read(ours, 4096)
        except OSError:  # how Linux says that nobody holds the other end
            more = b""
        screen += more
        if waiting and screen.endswith(b": "):
            os.write(ours, waiting.pop(0))
        if not more:
            break
    os.close(ours)
    return process.wait(timeout=90), screen.decode()
