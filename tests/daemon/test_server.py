"""Laws of the socket of a running daemon."""

from __future__ import annotations

import json
import os
import resource
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import pytest
from tests.daemon.home import PATIENCE, Home, bash, decided, event, wait_for

from interlock.daemon.client import subscribe
from interlock.daemon.protocol import Call, decode_answer, encode_call
from interlock.hosts.host import Reply

pytestmark = pytest.mark.deep

OTHER_USER = 65534
FRAME_CHUNK = 1 << 16
STRANGER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(90)
peer.connect(sys.argv[1])
try:
    peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"stop"}\\n')
    print(repr(peer.recv(100)))
except OSError:
    print(repr(b""))
"""


def frame(payload: bytes) -> bytes:
    """A call of Claude Code's."""
    return encode_call(Call(host="claude-code", payload=payload))


def answer(peer: socket.socket) -> Reply:
    """The next answer on a connection used for one call at a time."""
    data = b""
    while (found := decode_answer(data)) is None:
        piece = peer.recv(FRAME_CHUNK)
        assert piece, "the daemon closed the connection"
        data += piece
    return found


def ended(peer: socket.socket) -> bool:
    """Whether the daemon has closed the connection."""
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def test_a_connection_may_be_kept_for_many_calls(served: Home) -> None:
    """Each call is answered before the next, all are recorded in order."""
    with served.connected() as peer:
        for number in range(20):
            peer.sendall(frame(bash(f"echo {number}")))
            assert answer(peer) == Reply()

    recorded = [entry.body["tool_input"]["command"] for entry in served.entries("decision")]
    assert recorded == [f"echo {number}" for number in range(20)]


@pytest.mark.req("D08")
def test_a_payload_over_the_limit_is_refused_at_its_length(served: Home) -> None:
    """The answer comes before the payload is sent, the refusal is recorded with the size, memory stays."""
    with served.connected() as peer:
        peer.sendall(struct.pack("<4sII", b"ILK1", 0, 50_000_000))
        reply = answer(peer)
        closed = ended(peer)

    assert reply.exit_code == 2
    assert b"50000000 bytes" in reply.stderr
    assert closed
    wait_for(lambda: served.entries("refused"), "the refusal is recorded")
    (entry,) = served.entries("refused")
    assert entry.body == {"decision": "deny", "reason": "a payload of 50000000 bytes; the limit is 16777216"}
    assert decided(served.call(bash("ls"))) == (None, "")


@pytest.mark.req("D08")
def test_a_payload_over_the_limit_is_refused_through_the_shim(served: Home) -> None:
    """The tool call is denied with its size and what to do, and told to the ledger at the next start."""
    payload = event(tool_name="Write", tool_input={"content": "x" * 17_000_000})
    verdict, reason = decided(served.shim(payload))
    served.end()
    served.start()

    assert verdict == "deny"
    assert f"{len(payload)} bytes is larger than 16 MiB" in reason
    (gap,) = served.entries("gap")
    assert gap.body["outcomes"] == {"refused": 1}
    assert not served.places.gaps.exists()


@pytest.mark.parametrize("data", [b"GET / HTTP/1.0\r\n\r\n", b"\0" * 64, b"ILK2" + b"\0" * 20])
def test_another_protocol_is_answered_once_and_closed(served: Home, data: bytes) -> None:
    """Bytes of no call end the connection and nothing else."""
    with served.connected() as peer:
        peer.sendall(data)

        assert b"not a hook call" in answer(peer).stderr
        assert ended(peer)
    assert served.status() is not None


@pytest.mark.req("Z01")
@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
def test_another_user_is_closed_unread(served: Home) -> None:
    """Even where folder and socket let somebody in, nothing said there is heard."""
    served.folder.chmod(0o755)
    served.places.run.chmod(0o777)
    served.places.socket.chmod(0o777)

    command = [sys.executable, "-I", "-c", STRANGER, str(served.places.socket)]
    heard = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)

    assert heard.stdout == "b''\n", heard.stderr
    assert served.status() is not None


@pytest.mark.req("Z01")
def test_the_socket_is_for_its_owner_alone(served: Home) -> None:
    """The file and its folder give nobody else a right."""
    assert served.places.socket.stat().st_mode & 0o777 == 0o600
    assert served.places.run.stat().st_mode & 0o777 == 0o700
    assert served.places.database.stat().st_mode & 0o777 == 0o600
    assert served.places.log.stat().st_mode & 0o777 == 0o600


@pytest.mark.req("D10")
def test_five_hundred_slow_clients_stop_nobody(served: Home) -> None:
    """While they send a byte now and then a normal client is served, and they are cut off."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 2048), hard))
    slow = [served.connected() for _ in range(500)]
    data = frame(bash("ls"))
    try:
        for byte in data[:3]:
            for peer in slow:
                with suppress(BrokenPipeError, ConnectionResetError):  # cut off already, on a slow machine
                    peer.sendall(bytes([byte]))
            assert decided(served.shim(bash("ls"))) == (None, "")
            time.sleep(0.5)
        assert all(ended(peer) for peer in slow)
        assert decided(served.shim(bash("ls"))) == (None, "")
    finally:
        for peer in slow:
            peer.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_watcher_sees_each_decision_once(place: Home) -> None:
    """What is decided while one watches arrives as it was decided; a second report does not."""
    place.write_policy(
        'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, matcher: "Bash(rm *)", name: no-rm}\n'
    )
    place.start()
    notes = subscribe(place.places.socket)
    with place.connected() as peer:
        peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n')
        lines = peer.makefile("rb")
        assert json.loads(lines.readline())["result"] == {"subscribed": True}
        place.call(bash("rm x", tool_use_id="t1"))
        place.call(bash("rm x", tool_use_id="t1"))
        place.call(bash("ls", tool_use_id="t2"))
        seen: list[dict[str, Any]] = [json.loads(lines.readline())["params"] for _ in range(2)]
        lines.close()
    notes.close()  # type: ignore[attr-defined] # it is a generator, which its type does not say

    assert [(one["decision"], one["input"]["command"]) for one in seen] == [("deny", "rm x"), ("allow", "ls")]
    assert seen[0]["decided_by"] == "no-rm"


def test_a_watcher_that_stops_reading_is_let_go(served: Home) -> None:
    """It costs no more than a megabyte or two of memory, and nobody else waits for it."""
    stuck = served.connected()
    with stuck, served.connected() as peer:
        stuck.sendall(b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n')
        for number in range(60):
            peer.sendall(frame(bash("x" * 100_000, tool_use_id=str(number))))
            answer(peer)
        stuck.settimeout(PATIENCE)
        received = 0
        while piece := stuck.recv(FRAME_CHUNK):
            received += len(piece)

    assert received < 4_000_000
