"""A running tmux: its panes, who looks at which, and the colours they have."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, final

import msgspec

from interlock.errors import InterlockError
from interlock.files.system_programs import run_program, system_program

_SECONDS: Final = 5.0
_SERVER: Final = "#{pid} #{socket_path}"
_PANE: Final = "pane #{pane_id} #{window_id}"
_CLIENT: Final = "client #{pane_id} #{client_activity} x,#{client_termfeatures}"
_PANE_ID: Final = re.compile(r"%\d{1,9}")
_WORDS: Final = {"pane": 3, "client": 4}  # a client that shows no pane leaves one out
_TRUE_COLOUR: Final = "RGB"
_TWO: Final = 2

Command = tuple[str, ...]


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One tmux: its socket may be used again by the next one, whose panes are others."""

    pid: int
    socket: str


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What is on the screens at one moment."""

    panes: dict[str, str]  # pane → the window it is in
    focused: dict[str, float]  # pane somebody has before them → when they last touched a key
    true_colour: bool = True  # whether everybody's terminal has more than 256


class TmuxError(InterlockError):
    """tmux is not there or does not do as told."""


@final
class Tmux:
    """Runs the program for every question: it answers in some milliseconds, and nothing is left behind."""

    def __init__(self, socket: str | None = None) -> None:
        program = system_program("tmux")
        if program is None:
            raise TmuxError("tmux is not installed; install it, or use `interlock fleet`")
        self._start: Final = [program, *(["-S", socket] if socket else [])]

    def server(self) -> Server:
        """Which one answers."""
        pid, _, path = self.run([("display-message", "-p", _SERVER)]).rstrip("\n").partition(" ")
        return Server(pid=int(pid), socket=os.path.realpath(path))

    def look(self) -> Look:
        """Every pane, and those that are before somebody's eyes."""
        told = self.run([("list-panes", "-a", "-F", _PANE), ("list-clients", "-F", _CLIENT)])
        lines = [line.split() for line in told.splitlines()]
        clients = _of(lines, "client")
        return Look(
            panes={pane: window for _, pane, window in _of(lines, "pane")},
            focused={pane: float(at) for _, pane, at, _ in clients},
            true_colour=all(_TRUE_COLOUR in features.split(",") for *_, features in clients),
        )

    def set_pane(self, pane: str, option: str, value: str | None) -> Command:
        """The command that gives a pane a look of its own, or takes it away."""
        return _set("-p", pane, option, value)

    def set_window(self, window: str, option: str, value: str | None) -> Command:
        """The same for a window."""
        return _set("-w", window, option, value)

    def pane_value(self, pane: str, option: str) -> str | None:
        """What was set for this pane alone."""
        return self.run([("show-options", "-pqv", "-t", pane, option)]).rstrip("\n") or None

    def do(self, commands: Iterable[Command]) -> None:
        """Carry out commands; those about a pane that has gone meanwhile are no matter."""
        wanted = list(commands)
        if not wanted:
            return
        try:
            self.run(wanted)
        except TmuxError:  # the first that fails ends the whole line
            for one in wanted:
                with suppress(TmuxError):
                    self.run([one])

    def run(self, commands: Sequence[Command]) -> str:
        """Run commands in one go and give what they print."""
        words = [word for one in commands for word in (*one, ";")][:-1]
        try:
            done = run_program([*self._start, *words], seconds=_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TmuxError(f"tmux does not answer: {error}; check that it runs") from error
        if done.returncode != 0:
            why = done.stderr.decode("utf-8", "replace").strip() or f"it exited with {done.returncode}"
            raise TmuxError(f"tmux does not answer: {why}; start it, or name its socket with --socket")
        return done.stdout.decode("utf-8", "replace")


def _set(scope: str, target: str, option: str, value: str | None) -> Command:
    if value is None:
        return ("set-option", f"{scope}qu", "-t", target, option)
    return ("set-option", f"{scope}q", "-t", target, option, value)


def _of(lines: Iterable[list[str]], kind: str) -> list[list[str]]:
    """The whole lines of one kind."""
    return [
        words
        for words in lines
        if len(words) == _WORDS[kind] and words[0] == kind and _PANE_ID.fullmatch(words[1])
    ]


def server_of(tmux: str | None) -> Server | None:
    """What the variable TMUX says of a server: its socket, its process, and a session nobody asks for."""
    socket, pid, *_ = [*(tmux or "").rsplit(",", _TWO), ""]
    return Server(pid=int(pid), socket=os.path.realpath(socket)) if socket and pid.isdecimal() else None
