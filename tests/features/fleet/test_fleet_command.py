"""Laws of the command that shows the fleet."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from pathlib import Path

import pytest
from tests.cli.typed import SCRIPT, Interlock
from tests.daemon.home import Home
from tests.features.fleet.crew import Crew

STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@pytest.fixture
def crew(place: Home, monkeypatch: pytest.MonkeyPatch) -> Crew:
    """A home that INTERLOCK_HOME names, without a daemon: reading needs none."""
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    place.places.database.parent.mkdir(mode=0o700)
    return Crew(database=place.places.database, now=time.time() - 65)


def test_a_table_is_printed_once_into_a_pipe(crew: Crew, interlock: Interlock) -> None:
    """Agents that need a person come first; each with its effort, log count, and since when."""
    crew.effort("api", "implement", phase="1: Plan")
    crew.agent("api", "working")
    crew.agent("web", "attention", label="website")
    crew.agent("old", "done")
    crew.look("old")
    done = interlock("fleet", "--once")

    assert (done.code, done.err) == (0, "")
    assert [line.split() for line in done.out.splitlines()[1:]] == [
        ["AGENT", "STATUS", "EFFORT", "LOG", "COUNT", "CONTEXT", "SINCE"],
        ["website", "attention", "1m"],
        ["api", "working", "e1", "implement", "·", "1:", "Plan", "0/10", "1m"],
        ["old", "done", "1m"],
    ]
    assert done.out.splitlines()[0] == "3 agents: 1 attention, 1 working, 1 done"
    assert interlock("fleet").out == done.out


def test_scripts_get_an_object_a_line(crew: Crew, interlock: Interlock) -> None:
    """With every column of the view."""
    crew.agent("web", "error", pane="%1")
    (document,) = interlock("fleet", "--json").documents

    assert (document["agent"], document["shown"], document["pane"]) == ("web", "error", "%1")


def test_history_is_counted_and_shown_on_demand(crew: Crew, interlock: Interlock) -> None:
    """Nobody is asked to read what ended last week."""
    crew.now -= 7 * 86_400
    crew.agent("old", "working")
    short, whole = interlock("fleet").out, interlock("fleet", "--all").out

    assert short == "no agent is working; 1 earlier ones (--all)\n"
    assert "working?" in whole


def test_before_anything_was_recorded_there_is_nobody(crew: Crew, interlock: Interlock) -> None:
    """That is not an error."""
    done = interlock("fleet", "--once")

    assert (done.code, done.out) == (0, "no agent is working\n")


def test_a_hostile_name_does_not_reach_the_terminal(crew: Crew, interlock: Interlock) -> None:
    """Control characters are written out."""
    crew.agent("a\x1b[2J", "working", label="b\x1b]0;x\x07")

    assert "\x1b" not in interlock("fleet", "--once").out
    assert "\x1b" not in interlock("fleet", "--json").out


class Screen:
    """A terminal of 80 columns with the command on it."""

    def __init__(self, *words: str) -> None:
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="", LINES="")
            os.execv(SCRIPT, [SCRIPT, *words])
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = ""

    def shows(self, text: str) -> bool:
        """Read until a text has been on the screen; False when it never is, or the command has ended."""
        for _ in range(900):
            if text in self.seen:
                return True
            if not select.select([self.descriptor], [], [], 0.1)[0]:
                continue
            try:
                more = os.read(self.descriptor, 65_536)
            except OSError:  # how Linux says that nobody holds the other end
                return text in self.seen
            self.seen += more.decode()
        return False

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self.descriptor, keys)

    def end(self) -> int:
        """Read to the end and give the exit code."""
        self.shows("never on any screen")
        os.close(self.descriptor)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.mark.deep
@pytest.mark.parametrize("leave", [b"q", b"\x03", signal.SIGTERM])
def test_the_live_table_follows_what_happens(
    crew: Crew, leave: bytes | signal.Signals, tmp_path: Path
) -> None:
    """In the colours of a terminal, no wider than it is, and it leaves the screen as it was."""
    crew.effort("api", "implement", phase="1: A phase with a name that is far too long for eighty columns")
    crew.agent("api", "working")
    screen = Screen("fleet")
    first = screen.shows("working")
    crew.agent("api", "error")
    second = screen.shows("1 error")
    if isinstance(leave, bytes):
        screen.type(leave)
    else:
        os.kill(screen.pid, leave)
    code = screen.end()
    lines = [STYLE.sub("", line) for line in screen.seen.replace("\r", "\n").split("\n")]

    assert (first, second, code) == (True, True, 0)
    assert max(len(line) for line in lines) <= 80
    assert screen.seen.index("\x1b[?1049h") < screen.seen.index("AGENT")
    assert screen.seen.rstrip().endswith("\x1b[?1049l")
    assert "\x1b[1;31merror" in screen.seen


def test_tmux_is_for_people(crew: Crew, interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent that colours panes could hide what waits."""
    monkeypatch.setenv("CLAUDECODE", "1")
    done = interlock("fleet", "tmux", "--once")

    assert done.code == 2
    assert "`interlock fleet tmux` is for people" in done.err


def test_without_tmux_it_says_what_to_do(
    crew: Crew, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one sentence."""
    monkeypatch.setattr("interlock.features.fleet.pane_colors.system_program", lambda _: None)
    done = interlock("fleet", "tmux")

    assert done.code == 2
    assert done.err == "interlock: tmux is not installed; install it, or use `interlock fleet`\n"
