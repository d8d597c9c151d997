"""Laws of a daemon's life."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided, event, wait_for

from interlock.daemon.protocol import Call, encode_call

pytestmark = pytest.mark.deep

SLOW = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: slow, type: command, matcher: "Bash(slow *)", timeout: 30, config: {command: "COMMAND"}}
"""


def slow(place: Home) -> Path:
    """A policy whose hook takes its time; gives the file that is there once it runs."""
    begun = place.folder / "begun"
    place.write_policy(SLOW.replace("COMMAND", f"touch {begun}; sleep 1; exit 2"))
    return begun


def test_there_is_one_of_them(served: Home) -> None:
    """A second one ends at once and says so by its exit code; the first goes on."""
    second = subprocess.run(served.command(), capture_output=True, timeout=90, check=False)

    assert second.returncode == 3
    assert served.status() is not None


@pytest.mark.req("Z01")
@pytest.mark.parametrize("kind", ["open", "link"])
def test_it_does_not_start_in_a_folder_of_others(place: Home, kind: str) -> None:
    """A folder anybody can write to, or a link in its place, is refused with a next step."""
    run = place.places.run
    if kind == "open":
        run.mkdir()
        run.chmod(0o777)
    else:
        (place.folder / "elsewhere").mkdir(mode=0o700)
        run.symlink_to(place.folder / "elsewhere")
    refused = subprocess.run(place.command(), capture_output=True, text=True, timeout=90, check=False)

    assert refused.returncode == 1
    assert refused.stderr.startswith("interlock: ")
    assert f"`{run}`" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not place.places.socket.exists()


@pytest.mark.req("D12")
def test_a_socket_left_by_a_dead_daemon_is_replaced(served: Home) -> None:
    """After kill -9 the file is still there; the next one listens all the same."""
    served.end()
    assert served.places.socket.exists()
    served.start()

    assert decided(served.shim(bash("ls"))) == (None, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_it_finish_what_it_has_begun(place: Home, number: int) -> None:
    """The hook under way is waited for and answered; then the socket is gone and the exit code is 0."""
    begun = slow(place)
    process = place.start()
    with place.connected() as peer:
        peer.sendall(encode_call(Call(host="claude-code", payload=bash("slow one"))))
        wait_for(begun.exists, "the hook runs")
        process.send_signal(number)
        heard = b""
        while piece := peer.recv(4096):
            heard += piece

    assert b'"permissionDecision":"deny"' in heard
    assert process.wait(90) == 0
    assert not place.places.socket.exists()
    assert [entry.body["decision"] for entry in place.entries("decision")] == ["deny"]


@pytest.mark.req("D12")
def test_one_that_is_on_its_way_out_is_followed_without_a_denial(place: Home) -> None:
    """A call that comes while the old one drains starts the next and is answered by it."""
    begun = slow(place)
    old = place.start()
    peer = place.connected()
    peer.sendall(encode_call(Call(host="claude-code", payload=bash("slow one"))))
    wait_for(begun.exists, "the hook runs")
    old.terminate()
    wait_for(lambda: not place.places.socket.exists(), "the old one takes no more calls")

    verdict = decided(place.shim(bash("ls")))

    assert verdict == (None, "")
    assert old.wait(90) == 0
    found = place.status()
    assert found is not None
    assert found["pid"] != old.pid
    peer.close()


@pytest.mark.req("F03", "F08")
def test_calls_that_passed_unseen_are_an_entry_at_the_next_start(place: Home) -> None:
    """The gaps file becomes one entry and is gone."""
    place.places.state.mkdir(mode=0o700)
    place.places.gaps.write_text("100 7 PostToolUse passed: the daemon is silent\n")
    place.start()
    wait_for(lambda: place.entries("gap"), "the gap is recorded")

    (gap,) = place.entries("gap")
    assert (gap.body["lost"], gap.body["events"]) == (1, {"PostToolUse": 1})
    assert [file.name for file in place.places.state.iterdir() if "gaps" in file.name] == []


@pytest.mark.req("T07")
def test_a_policy_broken_later_keeps_the_last_good_one_and_raises_an_alarm(place: Home) -> None:
    """The old rules still hold, and the ledger says which file is wrong."""
    place.write_policy(SLOW.replace("type: command", "type: deny").replace('command: "COMMAND"', ""))
    place.start()
    before = decided(place.call(bash("slow x")))[0]
    place.write_policy("version: [\n")
    after = decided(place.call(bash("slow y")))[0]

    assert (before, after) == ("deny", "deny")
    wait_for(lambda: place.entries("alarm"), "the alarm is recorded")
    assert "genesis.key:" in place.entries("alarm")[0].body["reason"]


def test_it_stands_in_no_project_and_holds_nothing_of_its_starter(place: Home) -> None:
    """Started by the shim, its folder is `/`, its session its own, its input and output nothing."""
    place.shim(bash("ls"), SECRET="x")
    found = place.status()
    assert found is not None
    pid = found["pid"]
    proc = Path(f"/proc/{pid}")

    assert proc.joinpath("cwd").readlink() == Path("/")
    assert {(proc / "fd" / str(number)).readlink() for number in range(3)} == {Path("/dev/null")}
    assert os.getsid(pid) != os.getsid(0)
    assert b"SECRET" not in (proc / "environ").read_bytes()


def test_a_request_that_is_none_harms_nobody(served: Home) -> None:
    """Broken lines and unknown methods are answered, and the connection goes on."""
    with served.connected() as peer:
        lines = peer.makefile("rb")
        peer.sendall(b'{nonsense\n{"jsonrpc":"2.0","id":1,"method":"no"}\n')
        codes = [json.loads(lines.readline())["error"]["code"] for _ in range(2)]
        peer.sendall(b'{"jsonrpc":"2.0","id":2,"method":"status"}\n')
        status = json.loads(lines.readline())["result"]
        lines.close()

    assert codes == [-32700, -32601]
    assert status["pid"] == served.started[0].pid
    assert {"version", "revision", "uptime", "events", "open_passes"} <= set(status)


def test_a_client_that_goes_in_the_middle_of_a_call_is_nothing(served: Home) -> None:
    """Half a call and a reset leave the daemon as it was."""
    for size in (3, 12, 40):
        with served.connected() as peer:
            peer.sendall(encode_call(Call(host="claude-code", payload=event()))[:size])
            peer.shutdown(socket.SHUT_RDWR)

    assert decided(served.call(bash("ls"))) == (None, "")
