"""Laws of the shim when there is no daemon: one is started, once, and owes nothing to who started it."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.home import wait_for
from tests.shim.shim_home import ShimHome, denied, event

pytestmark = pytest.mark.deep

TEN = 10


@pytest.mark.req("D12")
@pytest.mark.parametrize("stale", [False, True])
def test_ten_at_once_start_one_daemon(place: ShimHome, stale: bool) -> None:
    """Exactly one of ten wins; all ten are answered, also where a dead daemon left its socket."""
    place.write_launch(place.serving())
    if stale:
        subprocess.run(
            [sys.executable, "-c", f"import socket; socket.socket(1).bind({str(place.socket)!r})"], check=True
        )
    running = [
        subprocess.Popen(place.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(TEN)
    ]
    found = [process.communicate(event(), timeout=60)[0] for process in running]

    assert found == [b"served"] * TEN
    assert len(place.started()) == 1


def test_the_next_call_finds_the_daemon_of_the_last(place: ShimHome) -> None:
    """The daemon outlives the call that started it."""
    place.write_launch(place.serving())
    found = [place.run(event()).stdout for _ in range(3)]

    assert found == [b"served"] * 3
    assert len(place.started()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to see what a process was given")
def test_the_daemon_inherits_nothing(place: ShimHome) -> None:
    """Its environment, folder, descriptors and session are not those of the agent."""
    place.write_launch(place.serving(), env=["HOME=/home/somebody", "LANG=C.UTF-8"])
    with place.launch.open() as extra:
        subprocess.run(
            place.command(),
            input=event(),
            env={"LD_PRELOAD": "", "SECRET": "x", "PYTHONPATH": "/nowhere"},
            pass_fds=[extra.fileno()],
            check=True,
            timeout=60,
        )
    [facts] = place.started()

    assert facts["env"] == {
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/somebody",
        "LANG": "C.UTF-8",
        **locale_of(facts),
    }
    assert facts["cwd"] == "/"
    assert facts["open"] == ["/dev/null"] * 3
    assert facts["session"] not in {os.getsid(0), facts["pid"]}
    assert facts["parent"] != os.getpid()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc to see what a process was given")
def test_a_path_in_the_launch_file_stands_in_place_of_ours(place: ShimHome) -> None:
    """The daemon is given one PATH, the one fixed at install."""
    place.write_launch(place.serving(), env=["PATH=/opt/tools:/usr/bin"])
    place.run(event())
    [facts] = place.started()
    given = Path(f"/proc/{facts['pid']}/environ").read_bytes().split(b"\0")

    assert [one for one in given if one.startswith(b"PATH=")] == [b"PATH=/opt/tools:/usr/bin"]


def locale_of(facts: dict[str, object]) -> dict[str, str]:
    """What Python itself sets at its start under the C locale."""
    env = facts["env"]
    assert isinstance(env, dict)
    return {name: value for name, value in env.items() if name == "LC_CTYPE"}


@pytest.mark.req("D12", "F01")
def test_a_daemon_that_never_listens_is_given_up(hasty: ShimHome) -> None:
    """The call is denied when the time for a start has passed."""
    hasty.write_launch(["/bin/sh", "-c", f"echo x >>{hasty.folder}/tries"])
    reason = denied(hasty.run(event()))
    tries = hasty.folder / "tries"
    wait_for(lambda: tries.exists() and tries.read_text(), "what was started runs")

    assert reason.endswith("(the daemon does not come up): run `interlock daemon status`")
    assert tries.read_text() == "x\n"


@pytest.mark.req("D12")
def test_a_program_that_is_not_there_is_told_at_once(place: ShimHome) -> None:
    """Nobody waits for what cannot come; the reason names the program."""
    place.write_launch([str(place.folder / "gone"), "run"])

    assert f"(the daemon's program cannot be run: {place.folder}/gone)" in denied(place.run(event()))


def test_without_a_program_nothing_is_started(hasty: ShimHome) -> None:
    """A service manager's daemon is waited for and not started."""
    hasty.write_launch()

    assert "the daemon does not come up" in denied(hasty.run(event()))
    assert not hasty.lock.exists()


@pytest.mark.req("D12")
def test_who_has_not_the_lock_starts_nothing(hasty: ShimHome) -> None:
    """While somebody else starts the daemon the shim waits; when that one has gone, it starts it itself."""
    hasty.write_launch(hasty.serving())
    with hasty.lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waited = hasty.run(event())
        nothing = hasty.started()
    after = hasty.run(event("SessionStart"))

    assert "the daemon does not come up" in denied(waited)
    assert nothing == []
    assert after.stdout == b"served"


def test_session_start_waits_longer(hasty: ShimHome) -> None:
    """The first event of a session warms the daemon where a tool call would have given up."""
    slow = ["/bin/sh", "-c", 'sleep 0.8; exec "$@"', "sh", *hasty.serving()]
    hasty.write_launch(slow)

    assert hasty.run(event("SessionStart")).stdout == b"served"


def test_the_lock_folder_is_made(place: ShimHome) -> None:
    """A folder in a place that is emptied at every boot does not have to be there."""
    place.write_launch(place.serving())
    (place.folder / "run").rmdir()

    assert place.run(event()).stdout == b"served"
    assert (place.folder / "run").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is another version"),
        ("interlock-launch 2\n/a\n/b\n/c\n", "is another version"),
        ("interlock-launch 1\n/a\n/b\n", "lacks a path"),
        ("interlock-launch 1\na\n/b\n/c\n", "lacks a path"),
        ("interlock-launch 1\n/a\n/b\n/c\npython\n", "starts a program without its full path"),
        ("interlock-launch 1\n/" + "a" * 200 + "\n/b\n/c\n", "names a socket with too long a path"),
        ("interlock-launch 1\n/a\n/b\n/c\n" + "env A=b\n" * 40, "has too many variables"),
        ("interlock-launch 1\n/a\n/b\n/c\n" + "/a\n" * 80, "has too many arguments"),
        ("interlock-launch 1\n" + "/a\n" * 30_000, "is too long"),
        ("interlock-launch 1\n/a\0\n/b\n/c\n", "is not text"),
    ],
)
def test_a_launch_file_that_is_wrong_denies_and_says_why(place: ShimHome, content: str, says: str) -> None:
    """Nothing is guessed from half a launch file."""
    place.launch.write_text(content)
    place.launch.chmod(0o600)

    assert f"(its launch file {says}: {place.launch}): run `interlock install`" in denied(place.run(event()))


def test_a_launch_file_others_can_write_is_not_followed(place: ShimHome) -> None:
    """What it names would be run."""
    place.write_launch(place.serving())
    place.launch.chmod(0o620)

    assert "its launch file can be written by others" in denied(place.run(event()))
    assert place.started() == []


@pytest.mark.req("F01")
def test_no_launch_file_denies_and_names_where_it_would_be(shim: Path, folder: Path) -> None:
    """A shim that was never installed is closed, too."""
    reason = denied(ShimHome(shim=shim, folder=folder).run(event()))

    assert reason == (
        f"Interlock cannot be reached (its launch file is missing: {folder}/launch): run `interlock install`"
    )
