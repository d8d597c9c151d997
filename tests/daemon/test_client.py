"""Laws of talking to the daemon from Python."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided
from tests.shim.peer import Peer, answering

from interlock.daemon.client import DaemonError, call_daemon, request, subscribe
from interlock.daemon.protocol import Call

pytestmark = pytest.mark.deep

CALL = Call(host="claude-code", payload=bash("ls"))
SLOW = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: slow, type: command, config: {command: "sleep 1.5; exit 2"}}
"""


def test_a_hook_may_take_longer_than_silence(place: Home) -> None:
    """Heartbeats tell that the daemon is alive, and the answer is found behind them."""
    place.write_policy(SLOW)
    place.start()

    assert decided(place.call(bash("ls")))[0] == "deny"


def test_silence_is_a_daemon_that_hangs(served: Home) -> None:
    """A stopped process is an error, not a wait without end."""
    pid = served.started[0].pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(DaemonError, match="did not answer"):
            call_daemon(served.places.socket, CALL, silent=1)
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("data", [b"", b"...", b"ILR1\0", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_what_is_no_answer_is_an_error(place: Home, data: bytes) -> None:
    """Nothing, half an answer and another protocol are all told as one kind of error."""
    path = place.folder / "socket"
    with Peer(path, answering(data)), pytest.raises(DaemonError):
        call_daemon(path, CALL)


def test_nobody_there_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    """A call, a request and a subscription all say how to start the daemon."""
    for ask in (
        lambda path: call_daemon(path, CALL),
        lambda path: request(path, "status"),
        lambda path: next(subscribe(path)),
    ):
        with pytest.raises(DaemonError, match="interlock daemon start"):
            ask(tmp_path / "nobody")


def test_an_unknown_method_is_an_error_in_the_daemons_words(served: Home) -> None:
    """The message names the nearest, or the families there are."""
    families = r"approvals\.…, .*ledger\.…, .*status, stop, subscribe"

    with pytest.raises(DaemonError, match=r"no method `work\.logg`; did you mean `work\.log`\?"):
        request(served.places.socket, "work.logg")
    with pytest.raises(DaemonError, match=f"no method `dance`; the methods are {families}"):
        request(served.places.socket, "dance")


def test_watching_ends_with_the_daemon(served: Home) -> None:
    """Each decision arrives, and the end is an end."""
    seen: list[object] = []
    watching = threading.Thread(target=lambda: seen.extend(subscribe(served.places.socket)))
    watching.start()
    while not seen:
        served.call(bash("ls"))
    request(served.places.socket, "stop")
    watching.join(90)

    assert not watching.is_alive()
    assert seen
