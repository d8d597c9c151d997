"""Laws of a yes under a clock that somebody sets, through a whole daemon."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.daemon.approvers import ask, policy, yes
from tests.daemon.home import Home, wait_for

from interlock.store.clock import timestamp

pytestmark = pytest.mark.deep

DAY = 86_400
# A daemon whose clocks stand as a file says: how far the wall is off, how much time has passed, which boot.
SET = """\
import sys, time
from pathlib import Path

clocks, wall, passed = Path(sys.argv.pop(1)), time.time, time.clock_gettime
time.time = lambda: wall() + int(clocks.read_text().split()[0])
time.clock_gettime = lambda which: passed(which) + int(clocks.read_text().split()[1])
from interlock.store import clock
clock.boot_name = lambda: clocks.read_text().split()[2]
from interlock.daemon.__main__ import main

sys.exit(main())
"""


class Clocks:
    """The clocks of a machine that has one home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._file: Path = home.folder / "clocks"
        self.set()

    def set(self, wall: int = 0, passed: int = 0, boot: str = "one") -> None:
        """Let the wall be so far off, after so many seconds, since this start of the machine."""
        half = self._file.with_name("half-clocks")
        half.write_text(f"{wall} {passed} {boot}")
        half.replace(self._file)

    def start(self) -> None:
        """A daemon that goes by these clocks."""
        self._home.end()
        command = [sys.executable, "-I", "-c", SET, str(self._file), *self._home.command()[4:]]
        process = subprocess.Popen(command, env={"PATH": "/usr/bin:/bin"})
        self._home.started.append(process)
        wait_for(lambda: process.poll() is not None or self._home.status() is not None, "it answers")


@pytest.fixture
def clocks(place: Home) -> Clocks:
    """A daemon that asks before a push, with a request that a person has approved for an hour."""
    place.write_policy(policy())
    clocks = Clocks(place)
    clocks.start()
    ask(place, "t1")
    yes(place, "ap_1")
    return clocks


@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart of the daemon"])
def test_a_yes_ends_though_the_clock_was_set_back(place: Home, clocks: Clocks, restarted: bool) -> None:
    """The time that passes counts: two hours later it is over, whatever day it is said to be."""
    clocks.set(wall=-DAY, passed=60)
    if restarted:
        clocks.start()
    clocks.set(wall=-DAY, passed=7_200)

    assert ask(place, "t2")[0] == "deny"


def test_a_yes_ends_when_the_clock_says_so(place: Home, clocks: Clocks) -> None:
    """It was put forward: the wall counts as well."""
    clocks.set(wall=7_200, passed=60)

    assert ask(place, "t2")[0] == "deny"


def test_a_yes_holds_for_its_hour_though_the_clock_was_set_back(place: Home, clocks: Clocks) -> None:
    """Nobody has to ask anew because a clock was put right."""
    clocks.set(wall=-DAY, passed=60)

    assert ask(place, "t2")[0] is None


@pytest.mark.parametrize(("wall", "vote"), [(60, None), (7_200, "deny"), (-DAY, None)])
def test_after_a_restart_of_the_machine_the_wall_counts(
    place: Home, clocks: Clocks, wall: int, vote: str | None
) -> None:
    """A clock that then stands before the last entry is taken to stand there."""
    clocks.set(wall=wall, boot="two")
    clocks.start()

    assert ask(place, "t2")[0] == vote


def test_a_yes_given_while_the_clock_was_ahead_is_void_after_a_restart_of_the_machine(
    place: Home, clocks: Clocks
) -> None:
    """How long ago that was, nobody knows; else it would hold for as long as the clock was ahead."""
    clocks.set(wall=300 * DAY)
    ask(place, "a1", "git push ahead")
    yes(place, "ap_2")
    clocks.set()
    ask(place, "t2", "ls")
    clocks.set(boot="two")
    clocks.start()

    assert ask(place, "a2", "git push ahead")[0] == "deny"


def test_a_grant_that_ended_stays_ended(place: Home, clocks: Clocks) -> None:
    """Set back to the day it was given, the clock does not bring it back."""
    ask(place, "g1", "git push granted")
    until = timestamp(time.time() + 7_200)
    assert yes(place, "ap_2", grant={"pattern": "Bash(git push granted)", "until": until})[0]["grant"]
    clocks.set(passed=3 * 3_600)
    assert ask(place, "g2", "git push granted")[0] == "deny"
    clocks.set(wall=-DAY, passed=3 * 3_600 + 60)

    assert ask(place, "g3", "git push granted")[0] == "deny"
