"""The law of a daemon killed at any moment."""

from __future__ import annotations

import random
import socket
import threading
import time
from itertools import count

import pytest
from tests.daemon.home import PATIENCE, Home, bash, event, wait_for

from interlock.daemon.protocol import Call, decode_answer, encode_call

pytestmark = pytest.mark.deep

ROUNDS = 20
CLIENTS = 4
TYPICAL = 0.12


class Client:
    """Sends calls without end, on a kept connection or on one each, and keeps the ids that were answered."""

    def __init__(self, home: Home, name: str, *, kept: bool) -> None:
        self._home = home
        self._name = name
        self._kept = kept
        self._numbers = count()
        self.answered: list[str] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        peer: socket.socket | None = None
        while not self.stopped.is_set():
            try:
                peer = peer or self._home.connected()
                self._ask(peer)
            except OSError:
                time.sleep(0.005)
                peer = let_go(peer)
            else:
                peer = peer if self._kept else let_go(peer)
        let_go(peer)

    def _ask(self, peer: socket.socket) -> None:
        use_id = f"{self._name}-{next(self._numbers)}"
        payload = bash(f"echo {use_id}", tool_use_id=use_id, session_id=self._name)
        peer.sendall(encode_call(Call(host="claude-code", payload=payload)))
        data = b""
        while decode_answer(data) is None:
            piece = peer.recv(4096)
            if not piece:
                raise ConnectionResetError
            data += piece
        self.answered.append(use_id)


def let_go(peer: socket.socket | None) -> socket.socket | None:
    """Close a connection, if there is one; what is left is none."""
    if peer is not None:
        peer.close()
    return None


def answers(clients: list[Client]) -> int:
    """How many calls were answered so far."""
    return sum(len(client.answered) for client in clients)


@pytest.mark.req("D01")
def test_killed_at_any_moment_every_answer_that_left_has_its_entry(place: Home) -> None:
    """Twenty times kill -9 under calls from several clients: the chain holds, no answered call is missing."""
    moments = random.Random(4)
    clients = [Client(place, f"c{number}", kept=number % 2 == 0) for number in range(CLIENTS)]
    for client in clients:
        client.thread.start()
    progress: list[int] = []
    try:
        for number in range(ROUNDS):
            process = place.start()
            time.sleep(moments.uniform(0, TYPICAL))
            if number % 2:  # a slow machine has answered nobody by then
                wait_for(lambda: answers(clients) > progress[-1] + 2 * CLIENTS, "some calls are answered")
            process.kill()
            process.wait()
            progress.append(answers(clients))
    finally:
        for client in clients:
            client.stopped.set()
        for client in clients:
            client.thread.join(PATIENCE)
    place.start()

    recorded = {entry.body["tool_use_id"] for entry in place.entries("decision")}
    answered = {use_id for client in clients for use_id in client.answered}
    assert len(set(progress)) > ROUNDS / 2
    assert answered - recorded == set()
    assert len(answered) > CLIENTS * ROUNDS
    assert place.broken() is None


@pytest.mark.req("D01")
def test_an_observed_event_is_durable_soon_after_its_answer(served: Home) -> None:
    """What waits for nobody is in the ledger a moment later, without another event to push it."""
    served.call(event("PostToolUse", tool_name="Bash", tool_input={}, tool_use_id="t1"))
    wait_for(lambda: served.entries("decision"), "the event is recorded")
    served.started[0].kill()

    assert [entry.event for entry in served.entries("decision")] == ["PostToolUse"]
    assert served.broken() is None
