"""Laws of the shim when the daemon is there and gives no answer that can be used."""

from __future__ import annotations

import os
import socket
import threading
import time
from pathlib import Path

import pytest
from tests.shim.peer import Behaviour, Peer, answering
from tests.shim.shim_home import ShimHome, denied, event
from tests.shim.wire import Frame, answer

pytestmark = pytest.mark.deep

BEAT = 0.1  # far below what the hasty shim takes for silence, since a busy machine is late


def hangs(connection: socket.socket, _frame: Frame) -> None:
    """Say nothing until the shim has gone."""
    connection.recv(1)


def begins_and_hangs(connection: socket.socket, _frame: Frame) -> None:
    """Say half a word."""
    connection.sendall(answer(b"allow")[:15])
    connection.recv(1)


def beats(connection: socket.socket, _frame: Frame) -> None:
    """Take several times as long as silence may last, and show that it lasts."""
    for _ in range(60):
        connection.sendall(b".")
        time.sleep(BEAT)
    connection.sendall(b".." + answer(b".late"))


@pytest.mark.req("D12", "F01")
@pytest.mark.parametrize(
    ("behaviour", "says"),
    [
        (hangs, "the daemon is silent"),
        (begins_and_hangs, "the daemon is silent"),
        (answering(b""), "the daemon closed the connection"),
        (answering(b"..."), "the daemon closed the connection"),
        (answering(answer(b"allow")[:-1]), "the daemon's answer was cut short"),
        (answering(answer(b"allow")[:7]), "the daemon's answer was cut short"),
        (answering(b"HTTP/1.1 200 OK\r\n"), "the daemon's answer was not understood"),
        (answering(b"I"), "the daemon's answer was cut short"),
        (answering(b"IL"), "the daemon's answer was cut short"),
        (answering(b"ILR1\0\xff\xff\xff\xff\xff\xff\xff\xff"), "the daemon's answer was not understood"),
        (answering(answer(b"allow") + b"x"), "the daemon's answer was not understood"),
    ],
)
def test_no_usable_answer_denies_the_call(hasty: ShimHome, behaviour: Behaviour, says: str) -> None:
    """The reason says what is wrong and what to run; how people go on without is not for an agent to read."""
    hasty.write_launch()
    with Peer(hasty.socket, behaviour):
        reason = denied(hasty.run(event()))

    assert reason == f"Interlock cannot be reached ({says}): run `interlock daemon status`"


@pytest.mark.req("D12", "F01")
def test_a_daemon_of_another_home_denies_the_call(hasty: ShimHome) -> None:
    """What it would decide is not this home's policy; the next step finds out how it came there."""
    hasty.write_launch()
    with Peer(hasty.socket, answering(b"ILH1")):
        before, after = hasty.run(event()), hasty.run(event("PostToolUse"))

    says = f"Interlock cannot be reached (the daemon at its socket serves another home: {hasty.socket}): "
    assert denied(before).startswith(f"{says}run `interlock doctor`")
    assert (after.returncode, after.stdout, after.stderr) == (0, b"", b"")
    assert hasty.gaps() == ["PostToolUse passed: the daemon at its socket serves another home"]


@pytest.mark.req("D12")
def test_the_wheels_shim_gives_a_hung_daemon_up(shim: Path, folder: Path) -> None:
    """It does so by itself, well before a host would."""
    place = ShimHome(shim=shim, folder=folder)
    place.write_launch()
    with Peer(place.socket, hangs):
        assert "silent" in denied(place.run(event()))


def test_a_heartbeat_keeps_the_shim_waiting(hasty: ShimHome) -> None:
    """A decision may take as long as its hooks need; the beats are not part of the answer."""
    hasty.write_launch()
    with Peer(hasty.socket, beats):
        done = hasty.run(event())

    assert (done.stdout, done.returncode) == (b".late", 0)


@pytest.mark.req("D12")
def test_a_daemon_that_takes_no_call_is_given_up(hasty: ShimHome) -> None:
    """A listener that never accepts is a hung daemon, also when its queue is full."""
    hasty.write_launch()
    listener = socket.socket(socket.AF_UNIX)
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(8)]
    listener.bind(str(hasty.socket))
    listener.listen(0)
    for one in waiting:
        one.setblocking(False)
        one.connect_ex(str(hasty.socket))
    small, large = hasty.run(event()), hasty.run(event(prompt="x" * 4_000_000))
    for one in (listener, *waiting):
        one.close()

    assert "the daemon takes no more calls" in denied(small)
    assert "the daemon takes no more calls" in denied(large)


def test_a_daemon_that_reads_no_further_is_given_up(hasty: ShimHome) -> None:
    """An event that does not fit the socket's buffer does not keep the shim."""
    hasty.write_launch()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(hasty.socket))
    listener.listen(8)
    done = hasty.run(event(prompt="x" * 8_000_000))
    listener.close()

    assert "the daemon is silent" in denied(done)


@pytest.mark.req("D12")
def test_a_daemon_replaced_in_between_is_no_reason_to_deny(place: ShimHome) -> None:
    """A connection closed without a word is made once more."""
    place.write_launch()
    with Peer(place.socket, answering(b""), answering(answer(b"from the next"))) as peer:
        done = place.run(event())

    assert done.stdout == b"from the next"
    assert [frame.payload for frame in peer.frames] == [event(), event()]


def test_a_killed_daemon_that_still_takes_connections_is_waited_out(place: ShimHome) -> None:
    """It may take one more before all of it is gone; one that goes on so is not a daemon."""
    place.write_launch()
    silent = answering(b"")
    with Peer(place.socket, silent, silent, answering(answer(b"from the next"))) as peer:
        done = place.run(event())

    assert done.stdout == b"from the next"
    assert len(peer.frames) == 3


def test_a_daemon_that_always_goes_without_a_word_is_given_up(place: ShimHome) -> None:
    """An event that ends every daemon does not end them without end."""
    place.write_launch()
    silent = answering(b"")
    with Peer(place.socket, silent, silent, silent) as peer:
        reason = denied(place.run(event()))

    assert "the daemon closed the connection" in reason
    assert len(peer.frames) == 3


def test_an_event_that_was_begun_is_not_sent_again(place: ShimHome) -> None:
    """After a heartbeat hooks may have run."""
    place.write_launch()
    with Peer(place.socket, answering(b"."), answering(answer(b"twice"))) as peer:
        denied(place.run(event()))

    assert len(peer.frames) == 1


def test_an_answer_given_before_the_event_was_read_counts(place: ShimHome) -> None:
    """A daemon may refuse by the header alone and close."""
    place.write_launch()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place.socket))
    listener.listen(1)

    def at_once() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(12)
            connection.sendall(answer(b"refused"))

    thread = threading.Thread(target=at_once)
    thread.start()
    done = place.run(event(prompt="x" * 8_000_000))
    thread.join()
    listener.close()

    assert done.stdout == b"refused"


def test_the_socket_of_something_else_is_not_waited_for(hasty: ShimHome, tmp_path: Path) -> None:
    """What cannot be connected to by nature is told at once."""
    hasty.write_launch()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(hasty.socket))
    reason = denied(hasty.run(event()))
    listener.close()

    assert f"its socket cannot be used: {hasty.socket}" in reason


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be two users")
def test_another_users_daemon_is_not_asked(hasty: ShimHome) -> None:
    """Whoever got to the path first may not decide."""
    hasty.write_launch()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(hasty.socket))
    os.seteuid(65_534)  # the kernel keeps who began to listen
    try:
        listener.listen()
    finally:
        os.seteuid(0)
    reason = denied(hasty.run(event()))
    listener.close()

    assert f"its socket belongs to another user: {hasty.socket}" in reason
