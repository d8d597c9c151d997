"""Laws of the pause: a person starts it, and it counts only while the daemon cannot be reached."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from tests.shim.peer import Peer, answering
from tests.shim.shim_home import ShimHome, denied, event
from tests.shim.wire import answer
from tests.terminal import at_terminal

from interlock.cli.people_only import MARKS
from interlock.store.clock import since_boot

pytestmark = pytest.mark.deep


@pytest.fixture
def alone(place: ShimHome) -> ShimHome:
    """A home whose daemon cannot be had."""
    place.write_launch([str(place.folder / "gone")])
    return place


def pause_file(place: ShimHome) -> Path:
    """Where a pause is kept."""
    return place.folder / "state" / "pause"


def ends(wall: int = 600, passed: int = 600) -> str:
    """A pause that ends in so many seconds, by each of its clocks."""
    return f"{int(time.time()) + wall} {int(since_boot()) + passed}"


def write_pause(place: ShimHome, content: str, mode: int = 0o600) -> None:
    """Put a pause there by hand."""
    pause_file(place).parent.mkdir(mode=0o700)
    pause_file(place).write_text(content)
    pause_file(place).chmod(mode)


@pytest.mark.parametrize(
    ("length", "words", "seconds"),
    [
        ("15m", "15 minutes", 900),
        ("90s", "90 seconds", 90),
        ("1h", "1 hour", 3600),
        ("8h", "8 hours", 28_800),
    ],
)
def test_a_person_who_types_yes_pauses(alone: ShimHome, length: str, words: str, seconds: int) -> None:
    """Calls then pass, each with a line, until the time is over."""
    before = int(time.time())
    code, screen = at_terminal(alone.command("pause", length), b"yes\n")
    after = int(time.time())
    done = [alone.run(event()), alone.run(b"noise"), alone.run(event("Stop"), "codex")]

    assert code == 0
    assert screen.startswith(f"type yes to let calls run without a decision for {words}: ")
    assert before + seconds <= int(pause_file(alone).read_text().split()[0]) <= after + seconds
    assert pause_file(alone).stat().st_mode & 0o777 == 0o600
    assert [(one.returncode, one.stdout, one.stderr) for one in done] == [(0, b"", b"")] * 3
    assert alone.gaps() == [
        f"{name} paused: the daemon's program cannot be run" for name in ("PreToolUse", "-", "Stop")
    ]


@pytest.mark.parametrize("typed", [b"no\n", b"\n", b"y\n", b"yes please\n", b"YES\n", b"\x04"])
def test_anything_but_yes_changes_nothing(alone: ShimHome, typed: bytes) -> None:
    """The call is still denied."""
    code, screen = at_terminal(alone.command("pause", "15m"), typed)

    assert code == 1
    assert "not confirmed" in screen
    assert not pause_file(alone).exists()
    denied(alone.run(event()))


def test_without_a_terminal_nobody_can_say_yes(alone: ShimHome) -> None:
    """What an agent pipes in does not count."""
    done = subprocess.run(
        alone.command("pause", "15m"),
        input=b"yes\n",
        capture_output=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 1
    assert b"there is none here" in done.stderr
    assert not pause_file(alone).exists()


@pytest.mark.parametrize(
    "length", ["", "9h", "0m", "28801s", "15", "m", "-1m", "1d", "15m ", "99999999999999999999s"]
)
def test_a_pause_has_a_length_of_at_most_eight_hours(alone: ShimHome, length: str) -> None:
    """Anything else is told before anybody is asked."""
    done = alone.run(b"", "pause", length)

    assert done.returncode == 2
    assert done.stdout == b""


def test_a_daemon_that_answers_is_asked_during_a_pause(place: ShimHome) -> None:
    """A pause is no way around a policy."""
    place.write_launch()
    write_pause(place, f"{ends()}\n")
    with Peer(place.socket, answering(answer(b"denied"))):
        done = place.run(event())

    assert done.stdout == b"denied"
    assert place.gaps() == []


@pytest.mark.parametrize(
    ("wall", "passed", "tail", "mode"),
    [
        (-1, 600, "\n", 0o600),
        (600, -1, "\n", 0o600),  # the clock on the wall was put back
        (9 * 3600, 600, "\n", 0o600),
        (600, 9 * 3600, "\n", 0o600),
        (600, 600, "\n", 0o620),
        (600, 600, "\n", 0o602),
        (600, 600, "", 0o600),
        (600, 600, "x\n", 0o600),
    ],
)
def test_a_pause_that_ended_or_is_not_ours_counts_for_nothing(
    alone: ShimHome, wall: int, passed: int, tail: str, mode: int
) -> None:
    """Too old, too long, open to others, or not as we write it: the call is denied."""
    write_pause(alone, f"{ends(wall, passed)}{tail}", mode)

    denied(alone.run(event()))


def test_a_link_is_no_pause(alone: ShimHome) -> None:
    """Only a file that lies there itself counts."""
    write_pause(alone, f"{ends()}\n")
    pause_file(alone).rename(alone.folder / "elsewhere")
    pause_file(alone).symlink_to(alone.folder / "elsewhere")

    denied(alone.run(event()))


def test_an_event_that_is_too_large_is_refused_during_a_pause(alone: ShimHome) -> None:
    """A pause is for a daemon that cannot be reached, not for what it would refuse."""
    write_pause(alone, f"{ends()}\n")

    assert "larger than 16 MiB" in denied(alone.run(event(prompt="x" * (17 * 1024 * 1024))))


def test_resume_ends_a_pause(alone: ShimHome) -> None:
    """Calls are denied again; a second resume finds nothing to do."""
    write_pause(alone, f"{ends()}\n")
    passed = alone.run(event())
    ended = [alone.run(b"", "resume") for _ in range(2)]

    assert passed.stdout == b""
    assert [(one.returncode, one.stdout) for one in ended] == [
        (0, b"the pause has ended\n"),
        (0, b"there was no pause\n"),
    ]
    denied(alone.run(event()))


@pytest.mark.req("Z02")
@pytest.mark.parametrize("mark", MARKS)
def test_an_agent_with_a_terminal_does_not_pause(alone: ShimHome, mark: str) -> None:
    """What it types does not count: its environment gives it away."""
    environ = {"PATH": "/usr/bin:/bin", mark: "1"}
    code, screen = at_terminal(alone.command("pause", "15m"), b"yes\n", env=environ)

    assert code == 1
    assert "an agent started this" in screen
    assert not pause_file(alone).exists()


def test_a_mark_without_a_value_is_none(alone: ShimHome) -> None:
    """A person who emptied the variable is a person."""
    environ = {"PATH": "/usr/bin:/bin", "CLAUDECODE": "", "CLAUDECODEX": "1"}

    assert at_terminal(alone.command("pause", "15m"), b"yes\n", env=environ)[0] == 0
    assert pause_file(alone).exists()


@pytest.mark.req("Z02")
def test_where_a_passphrase_is_set_only_the_command_that_asks_for_it_pauses(alone: ShimHome) -> None:
    """The shim cannot check it, so it leaves the pause to the command line, and says so."""
    pause_file(alone).parent.mkdir(mode=0o700)
    (pause_file(alone).parent / "passphrase").write_text("{}")
    code, screen = at_terminal(alone.command("pause", "15m"), b"yes\n")

    assert code == 1
    assert "`interlock pause`" in screen
    assert not pause_file(alone).exists()
