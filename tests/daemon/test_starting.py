"""Laws of starting and stopping from outside."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.daemon.home import PATIENCE, Home, bash, decided, wait_for

from interlock.daemon import launcher as starting
from interlock.daemon.client import request
from interlock.daemon.launcher import daemon_environment, start, status, stop
from interlock.daemon.paths import FileLock
from interlock.errors import InterlockError
from interlock.version import __version__

pytestmark = pytest.mark.deep

OLDER = """
import sys
from interlock import version
version.__version__ = "0.0.1"
from interlock.daemon import process
process.installed_version = lambda *_: None
from interlock.daemon.__main__ import main
sys.exit(main())
"""


def test_what_is_started_answers_and_what_is_stopped_has_ended(place: Home) -> None:
    """Starting twice is starting once; stopping twice says that none was there."""
    none = status(place.places)
    first, second = start(place.places), start(place.places)

    assert none is None
    assert first["pid"] == second["pid"]
    assert first["version"] == __version__
    assert stop(place.places)
    assert not stop(place.places)
    assert FileLock(place.places.lock).take()


def test_without_a_home_there_is_nothing_to_stop(place: Home) -> None:
    """Stopping makes no folders."""
    assert not stop(place.places)
    assert not place.places.run.exists()


@pytest.mark.req("D12")
def test_an_older_one_answers_until_it_is_replaced(place: Home) -> None:
    """Its version is not a reason to deny; starting drains it and runs ours."""
    command = place.command()
    place.command = lambda: [sys.executable, "-c", OLDER, *command[4:]]  # type: ignore[method-assign] # an older install
    old = place.start()
    found = status(place.places)
    answered = decided(place.shim(bash("ls")))

    new = start(place.places)

    assert found is not None
    assert found["version"] == "0.0.1"
    assert answered == (None, "")
    assert old.wait(PATIENCE) == 0
    assert new["version"] == __version__


@pytest.mark.req("D12")
def test_ten_at_once_start_one(place: Home) -> None:
    """Whoever calls first or last talks to the same daemon."""
    with ThreadPoolExecutor(10) as pool:
        found = list(pool.map(lambda _: start(place.places)["pid"], range(10)))

    assert len(set(found)) == 1


def test_a_daemon_that_hangs_is_not_said_to_have_stopped(
    served: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not answer and has its lock: the message names its process."""
    monkeypatch.setattr(starting, "STOP_SECONDS", 0.2)
    monkeypatch.setattr(request, "__kwdefaults__", {"seconds": 0.2})
    pid = served.started[0].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(InterlockError, match=f"kill -9 {pid}"):
            stop(served.places)
    finally:
        os.kill(pid, signal.SIGCONT)


def test_what_does_not_come_up_is_told(place: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that cannot be used ends the wait with the place of the log."""
    monkeypatch.setattr(starting, "START_SECONDS", 1.0)
    place.places.state.mkdir(mode=0o700)
    place.places.database.mkdir()

    with pytest.raises(InterlockError, match=r"interlock\.log"):
        start(place.places)
    log = place.places.log  # on a busy machine the daemon says so after the wait has ended
    wait_for(lambda: log.exists() and "not a regular file" in log.read_text(), "the log says why")


def test_the_environment_of_a_daemon_is_a_short_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that changes how programs run is inherited."""
    for name in ("LD_PRELOAD", "PYTHONPATH", "BASH_ENV", "GIT_DIR", "SECRET"):
        monkeypatch.setenv(name, "x")

    assert set(daemon_environment()) <= {"HOME", "USER", "LANG", "TMPDIR", "PATH"}


def test_stopping_by_request_waits_for_nothing_else(served: Home) -> None:
    """The request is answered before the daemon ends."""
    assert request(served.places.socket, "stop") == {"stopping": True, "pid": served.started[0].pid}
    wait_for(lambda: served.started[0].poll() == 0, "it has ended")
