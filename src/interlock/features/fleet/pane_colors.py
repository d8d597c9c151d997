"""Colours the panes of a running tmux by the status of their agents, and restores them at the end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, final

import msgspec
import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.errors import InterlockError
from interlock.features.fleet.fleet import WAITING, Fleet, background, seconds_of
from interlock.features.work.records import FleetRow
from interlock.files.system_programs import run_program, system_program

_ANSWER_SECONDS: Final = 5.0
_SERVER: Final = "#{pid} #{socket_path}"
_PANE: Final = "pane #{pane_id} #{window_id}"
_CLIENT: Final = "client #{pane_id} #{client_activity} x,#{client_termfeatures}"
_PANE_ID: Final = re.compile(r"%\d{1,9}")
_WORDS: Final = {"pane": 3, "client": 4}  # a client without a pane has one word less
_TRUE_COLOUR: Final = "RGB"
_TWO: Final = 2

Command = tuple[str, ...]


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One tmux server. The next one may use the same socket, so the process counts too."""

    pid: int
    socket: str


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What is on the screens at one moment."""

    panes: dict[str, str]  # pane → its window
    focused: dict[str, float]  # pane on somebody's screen → when they last pressed a key
    true_colour: bool = True  # whether every terminal has more than 256 colours


class TmuxError(InterlockError):
    """tmux is missing or a command failed."""


@final
class Tmux:
    """Runs the `tmux` program for every question; it answers within milliseconds."""

    def __init__(self, socket: str | None = None) -> None:
        program = system_program("tmux")
        if program is None:
            raise TmuxError("tmux is not installed; install it, or use `interlock fleet`")
        self._start: Final = [program, *(["-S", socket] if socket else [])]

    def server(self) -> Server:
        pid, _, path = self.run([("display-message", "-p", _SERVER)]).rstrip("\n").partition(" ")
        return Server(pid=int(pid), socket=os.path.realpath(path))

    def look(self) -> Look:
        """List every pane, and those on somebody's screen."""
        output = self.run([("list-panes", "-a", "-F", _PANE), ("list-clients", "-F", _CLIENT)])
        lines = [line.split() for line in output.splitlines()]
        clients = _of_kind(lines, "client")
        return Look(
            panes={pane: window for _, pane, window in _of_kind(lines, "pane")},
            focused={pane: float(at) for _, pane, at, _ in clients},
            true_colour=all(_TRUE_COLOUR in features.split(",") for *_, features in clients),
        )

    def pane_value(self, pane: str, option: str) -> str | None:
        """Return what is set for this pane alone."""
        return self.run([("show-options", "-pqv", "-t", pane, option)]).rstrip("\n") or None

    def do(self, commands: Iterable[Command]) -> None:
        """Run commands; failures of those about a pane that is gone do not matter."""
        batch = list(commands)
        if not batch:
            return
        try:
            self.run(batch)
        except TmuxError:  # the first failure ends the whole line
            for command in batch:
                with suppress(TmuxError):
                    self.run([command])

    def run(self, commands: Sequence[Command]) -> str:
        """Run commands in one go and return what they print."""
        words = [word for command in commands for word in (*command, ";")][:-1]
        try:
            process = run_program([*self._start, *words], seconds=_ANSWER_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TmuxError(f"tmux does not answer: {error}; check that it runs") from error
        if process.returncode != 0:
            why = process.stderr.decode("utf-8", "replace").strip() or f"it exited with {process.returncode}"
            raise TmuxError(f"tmux does not answer: {why}; start it, or name its socket with --socket")
        return process.stdout.decode("utf-8", "replace")


def set_pane(pane: str, option: str, value: str | None) -> Command:
    """The command that sets an option of a pane, or unsets it."""
    return _set("-p", pane, option, value)


def set_window(window: str, option: str, value: str | None) -> Command:
    return _set("-w", window, option, value)


def _set(scope: str, target: str, option: str, value: str | None) -> Command:
    if value is None:
        return ("set-option", f"{scope}qu", "-t", target, option)
    return ("set-option", f"{scope}q", "-t", target, option, value)


def _of_kind(lines: Iterable[list[str]], kind: str) -> list[list[str]]:
    """The complete lines of one kind."""
    return [
        words
        for words in lines
        if len(words) == _WORDS[kind] and words[0] == kind and _PANE_ID.fullmatch(words[1])
    ]


def server_of(tmux: str | None) -> Server | None:
    """Read the variable TMUX: a server's socket, its process, and a session that we ignore."""
    socket, pid, *_ = [*(tmux or "").rsplit(",", _TWO), ""]
    return Server(pid=int(pid), socket=os.path.realpath(socket)) if socket and pid.isdecimal() else None


def agents_of_panes(
    rows: Iterable[FleetRow], server: Server, panes: Iterable[str]
) -> dict[str, list[FleetRow]]:
    """Return for each pane the agent last seen there, and its own sub-agents.

    Agents that were in the pane before do not count: last week's error is no reason to look there.
    """
    known_panes = set(panes)
    agents: dict[str, list[FleetRow]] = {}
    for row in rows:
        if row.pane and row.pane in known_panes and server_of(row.tmux) == server:
            agents.setdefault(row.pane, []).append(row)
    for pane, rows_there in agents.items():
        alone = [row for row in rows_there if row.parent is None] or rows_there
        last = max(alone, key=lambda row: row.status_at or "")
        agents[pane] = [last, *(row for row in rows_there if row.parent == last.agent and row is not last)]
    return agents


def most_urgent(agents: Mapping[str, Sequence[FleetRow]]) -> dict[str, FleetRow]:
    """The most urgent agent of each pane, or of each window."""
    return {place: min(rows, key=lambda row: row.priority) for place, rows in agents.items() if rows}


def find_looked_at(
    agents: Mapping[str, Sequence[FleetRow]], look: Look, look_before: Look | None
) -> list[FleetRow]:
    """Return the agents a person has just looked at: they came to the pane, or typed there since it waits.

    A pane that is merely open on an unattended screen does not count.
    """
    looked_at = []
    for pane, touched in look.focused.items():
        came = look_before is not None and pane not in look_before.focused
        looked_at += [
            row
            for row in agents.get(pane, ())
            if row.shown in WAITING and (came or touched > (seconds_of(row.status_at) or 0.0))
        ]
    return looked_at


_SECONDS: Final = 0.5  # between two looks
STATUS: Final = "@interlock_status"  # for people's own formats: `#{@interlock_status}`
STYLES: Final = ("window-style", "window-active-style")


def color_panes(database: Path, socket: str | None, *, once: bool, remove: bool) -> None:
    """Colour every pane until Ctrl-C, or once, or remove the colours of an earlier run."""
    tmux = Tmux(socket)
    if remove:
        typer.echo(f"removed the colours from {clear(tmux)} panes")
        return
    painter = Painter(tmux, tmux.server())
    with closing(Fleet(database)) as fleet:
        if once:
            _paint(painter, fleet)
            return
        typer.echo("colouring panes by the status of their agents; press Ctrl-C to stop")
        handler_before = signal.signal(signal.SIGTERM, _interrupt)
        try:
            while True:
                _paint(painter, fleet)
                time.sleep(_SECONDS)
        except KeyboardInterrupt:
            pass  # the usual way out
        finally:
            signal.signal(signal.SIGTERM, handler_before)
            with suppress(InterlockError):  # tmux may be gone
                painter.restore()


def _paint(painter: Painter, fleet: Fleet) -> None:
    looked_at = painter.paint(fleet.rows())
    if looked_at:
        with suppress(InterlockError):  # the colour stays, and the next round tries again
            ask_daemon("fleet.check", {"agents": [row.agent for row in looked_at]})


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


@final
class Painter:
    """Sends tmux only what has changed."""

    def __init__(self, tmux: Tmux, server: Server) -> None:
        self._tmux: Final = tmux
        self._server: Final = server
        self._before: Look | None = None
        self._panes: dict[str, tuple[str, str]] = {}  # pane → its status and colour
        self._windows: dict[str, str] = {}
        self._own_styles: Final[dict[str, list[str | None]]] = {}  # pane → its own styles

    def paint(self, rows: Sequence[FleetRow]) -> list[FleetRow]:
        """Colour every pane that has an agent; return the agents a person has just looked at."""
        look = self._tmux.look()
        agents = agents_of_panes(rows, self._server, look.panes)
        urgent = most_urgent(agents)
        true = look.true_colour
        panes = {pane: (row.shown, background(row, true=true)) for pane, row in urgent.items()}
        windows: dict[str, list[FleetRow]] = {}
        for pane, row in urgent.items():
            windows.setdefault(look.panes[pane], []).append(row)
        window_statuses = {window: row.shown for window, row in most_urgent(windows).items()}
        self._tmux.do([*self._pane_changes(panes), *self._window_changes(window_statuses)])
        looked_at, self._before = find_looked_at(agents, look, self._before), look
        return looked_at

    def _pane_changes(self, panes: dict[str, tuple[str, str]]) -> list[Command]:
        commands: list[Command] = []
        for pane, (status, colour) in panes.items():
            if self._panes.get(pane) == (status, colour):
                continue
            self._remember_styles(pane)
            commands += [set_pane(pane, style, f"bg={colour}") for style in STYLES]
            commands.append(set_pane(pane, STATUS, status))
        for pane in self._panes.keys() - panes.keys():
            commands += self._restore_pane(pane)
        self._panes = panes
        return commands

    def _remember_styles(self, pane: str) -> None:
        if pane in self._own_styles:
            return
        # A status of ours means that an earlier run coloured it and could not restore it.
        ours = self._tmux.pane_value(pane, STATUS) is not None
        self._own_styles[pane] = [None if ours else self._tmux.pane_value(pane, style) for style in STYLES]

    def _restore_pane(self, pane: str) -> list[Command]:
        styles = zip(STYLES, self._own_styles.pop(pane), strict=True)
        commands = [set_pane(pane, style, value) for style, value in styles]
        return [*commands, set_pane(pane, STATUS, None)]

    def _window_changes(self, windows: dict[str, str]) -> list[Command]:
        commands = [
            set_window(window, STATUS, status)
            for window, status in windows.items()
            if self._windows.get(window) != status
        ]
        gone = self._windows.keys() - windows.keys()
        commands += [set_window(window, STATUS, None) for window in gone]
        self._windows = windows
        return commands

    def restore(self) -> None:
        """Remove our colours; each pane gets its own styles back."""
        commands = [command for pane in list(self._own_styles) for command in self._restore_pane(pane)]
        commands += [set_window(window, STATUS, None) for window in self._windows]
        self._tmux.do(commands)


def clear(tmux: Tmux) -> int:
    """Remove our colours from every pane, also those of an earlier run; return how many panes had them."""
    look = tmux.look()
    painted = [pane for pane in look.panes if tmux.pane_value(pane, STATUS) is not None]
    options = (*STYLES, STATUS)
    tmux.do([set_pane(pane, option, None) for pane in painted for option in options])
    tmux.do([set_window(window, STATUS, None) for window in set(look.panes.values())])
    return len(painted)
