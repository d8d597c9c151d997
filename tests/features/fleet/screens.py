"""A real tmux of a test's own, and somebody who sits before it."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from interlock.features.fleet.pane_colors import Tmux

NEEDS_TMUX = pytest.mark.skipif(
    shutil.which("tmux") is None,
    reason="tmux is not installed and could not be: no pane is coloured here (apt-get install tmux)",
)
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execvp(sys.argv[1], sys.argv[1:])\n"
)


@dataclass(frozen=True)
class Screens:
    """A server with three panes in one window."""

    socket: Path

    @property
    def tmux(self) -> Tmux:
        """The one under test."""
        return Tmux(str(self.socket))

    def run(self, *words: str) -> str:
        """What tmux itself says."""
        command = ["tmux", "-f", "/dev/null", "-S", str(self.socket), *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=True)
        return done.stdout.strip()

    def panes(self) -> list[str]:
        """Their names, in the order they were made."""
        return sorted(
            self.run("list-panes", "-a", "-F", "#{pane_id}").split(), key=lambda name: int(name[1:])
        )

    def variable(self) -> str:
        """What TMUX is set to in a pane."""
        return self.run("display-message", "-p", "#{socket_path},#{pid},0")

    def style(self, pane: str) -> str:
        """The colour a pane was given, by tmux's own word."""
        return self.run("show-options", "-p", "-v", "-t", pane, "window-style")

    def status(self, pane: str) -> str:
        """What formats of people's own show of it."""
        return self.run("display-message", "-p", "-t", pane, "#{@interlock_status}")

    @contextmanager
    def somebody(self, *, features: str = "256,RGB") -> Iterator[int]:
        """A client on a terminal, whose keys are written to the descriptor."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        words = ["tmux", "-T", features, "-S", str(self.socket), "attach"]
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={"TERM": "xterm-256color", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        )
        os.close(theirs)
        os.set_blocking(ours, False)
        try:
            yield ours
        finally:
            process.kill()
            process.wait()
            os.close(ours)


@contextmanager
def three_panes(folder: Path) -> Iterator[Screens]:
    """A server that ends with the test."""
    screens = Screens(folder / "tmux")
    screens.run("new-session", "-d", "-x", "80", "-y", "24", "sleep 600")
    screens.run("split-window", "-d", "sleep 600")
    screens.run("split-window", "-d", "-h", "sleep 600")
    try:
        yield screens
    finally:
        with suppress(subprocess.CalledProcessError):
            screens.run("kill-server")
