"""The law of process numbers that are given anew: a connection belongs to the process that made it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.approvers import ask, refusals, states
from tests.daemon.home import PATIENCE, Home, wait_for
from tests.living_agent import living_agent

from interlock.daemon.process_tree import began_now

pytestmark = pytest.mark.deep

# Connects and asks something, hands the connection on, and ends.
CONNECTS = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
peer.sendall(b'{"jsonrpc": "2.0", "id": 0, "method": "status"}\\n')
while not peer.recv(4096).endswith(b"\\n"):
    pass
socket.send_fds(socket.socket(fileno=int(sys.argv[2])), [b"x"], [peer.fileno()])
"""
APPROVE = {"jsonrpc": "2.0", "id": 1, "method": "approvals.approve", "params": {"ids": ["ap_1"]}}
LAST_NUMBER = Path("/proc/sys/kernel/ns_last_pid")  # the next process gets the one after it
TRIES = 200


def left_behind(home: Home) -> tuple[int, socket.socket]:
    """A connection whose maker has ended, and the number it had."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [sys.executable, "-c", CONNECTS, str(home.places.socket), str(theirs.fileno())]
        with subprocess.Popen(command, pass_fds=(theirs.fileno(),)) as maker:
            _, (number,), _, _ = socket.recv_fds(ours, 1, 1)
    ended = began_now()
    wait_for(lambda: began_now() > ended + 1, "whoever starts now has started later, as the system counts")
    found = socket.socket(fileno=number)
    found.settimeout(PATIENCE)
    return maker.pid, found


def started_as(pid: int) -> subprocess.Popen[bytes]:
    """A process of ours, which counts as a person's, with this number."""
    for _ in range(TRIES):
        try:
            LAST_NUMBER.write_text(str(pid - 1))
        except OSError:
            break
        running = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        if running.pid == pid:
            return running
        running.communicate()
    pytest.skip("only root can choose the number of a process, and not everywhere")


@pytest.mark.req("Z02", "T05")
def test_a_number_given_to_a_persons_process_makes_no_connection_a_persons(asking: Home) -> None:
    """Who made the connection has gone and may have been anybody's; a yes on it does not count."""
    ask(asking, "t1")
    with living_agent(asking):
        pid, connection = left_behind(asking)
        with connection, started_as(pid) as person:
            connection.sendall(json.dumps(APPROVE).encode() + b"\n")
            reply = json.loads(connection.makefile().readline())
            person.communicate()

    assert "only a person may call `approvals.approve`" in reply["error"]["message"]
    assert refusals(asking)[-1].body["command"] == "approvals.approve"
    assert states(asking) == ["pending"]
