"""Laws of others on the same machine: who comes to the socket, and what they put in our places before us."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided

from interlock.daemon.launcher import start
from interlock.daemon.protocol import Call, encode_call
from interlock.errors import InterlockError
from interlock.store.database import open_database

pytestmark = [pytest.mark.req("Z01"), pytest.mark.deep]

NOBODY = "65534"
CROWD = Path(__file__).with_name("crowd.py")
AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
PLACES = {
    "run": lambda home: home.places.run,
    "state": lambda home: home.places.state,
    "socket": lambda home: home.places.socket,
    "lock": lambda home: home.places.lock,
    "log": lambda home: home.places.log,
    "database": lambda home: home.places.database,
}
# Sends what is on its input and tells what it hears.
STRANGER = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(90)
peer.connect(sys.argv[1])
try:
    peer.sendall(sys.stdin.buffer.read())
    print(repr(peer.recv(4096)))
except OSError:
    print(repr(b""))
"""
# Answers every call with nothing, as if it were allowed, and tells what it was asked.
PRETENDER = """
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(8)
print("listening", flush=True)
while True:
    peer, _ = listener.accept()
    print(repr(peer.recv(4096)), flush=True)
    peer.sendall(b"ILR1" + bytes(9))
"""


def prepare(home: Home, name: str, kind: str) -> Path:
    """Put something into a place of ours before the daemon comes; where a link leads is given back."""
    path, elsewhere = PLACES[name](home), home.folder / "elsewhere"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if kind == "open":
        path.mkdir()
        path.chmod(0o777)
    elif kind == "another's":
        path.mkdir(mode=0o700) if name in {"run", "state"} else open_database(path).close()
        os.chown(path, int(NOBODY), int(NOBODY))
    elif kind == "file":
        path.write_text("precious")
    elif name in {"run", "state"}:
        elsewhere.mkdir(mode=0o700)
        path.symlink_to(elsewhere)
    else:
        elsewhere.write_text("precious")
        path.symlink_to(elsewhere)
    return path if kind == "file" else elsewhere


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("run", "open"),
        ("run", "link"),
        pytest.param("run", "another's", marks=AS_ROOT),
        ("state", "open"),
        ("state", "link"),
        pytest.param("state", "another's", marks=AS_ROOT),
        ("socket", "link"),
        ("socket", "file"),
        ("lock", "link"),
        ("log", "link"),
        ("database", "link"),
        pytest.param("database", "another's", marks=AS_ROOT),
    ],
)
def test_it_does_not_start_where_others_were_first(place: Home, name: str, kind: str) -> None:
    """One sentence names the place and what to do; nothing a link leads to is touched."""
    found = prepare(place, name, kind)
    refused = subprocess.run(place.command(), capture_output=True, text=True, timeout=90, check=False)

    assert refused.returncode == 1
    assert refused.stderr.startswith("interlock: ")
    assert refused.stderr.count("\n") == 1
    assert f"`{PLACES[name](place)}`" in refused.stderr
    assert "; " in refused.stderr or "remove" in refused.stderr
    assert place.status() is None
    if found.is_file():
        assert found.read_text() == "precious"
    elif found.is_dir():
        assert list(found.iterdir()) == []


@pytest.mark.parametrize(("name", "kind"), [("run", "open"), ("socket", "link"), ("state", "link")])
def test_whoever_starts_it_is_told_at_once(place: Home, name: str, kind: str) -> None:
    """`interlock daemon start` says the same sentence, without waiting for a daemon that cannot come."""
    prepare(place, name, kind)

    with pytest.raises(InterlockError, match=str(PLACES[name](place))):
        start(place.places)


def test_a_shim_denies_where_no_daemon_can_start(place: Home) -> None:
    """A link in the socket's place opens nothing: the call is refused, whoever listens where it leads."""
    prepare(place, "socket", "link")

    assert decided(place.shim(bash("ls")))[0] == "deny"


def as_nobody(*words: str | Path) -> list[str]:
    """A Python program as another user runs it."""
    user = [str(shutil.which("setpriv")), "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    return [*user, sys.executable, "-I", *map(str, words)]


def let_in(home: Home) -> None:
    """Take the rights away that keep others from the socket."""
    for path, mode in ((home.folder, 0o755), (home.places.run, 0o777), (home.places.socket, 0o777)):
        path.chmod(mode)


@AS_ROOT
@pytest.mark.parametrize("what", ["call", "request", "half a call"])
def test_another_user_is_closed_unread(served: Home, what: str) -> None:
    """Even where folder and socket let somebody in, no call is decided and no request is answered."""
    let_in(served)
    call = encode_call(Call(host="claude-code", payload=bash("ls", tool_use_id="stranger")))
    said = {"call": call, "request": b'{"jsonrpc":"2.0","id":1,"method":"stop"}\n', "half a call": call[:9]}
    heard = subprocess.run(
        as_nobody("-c", STRANGER, served.places.socket),
        input=said[what],
        capture_output=True,
        timeout=90,
        check=False,
    )

    assert heard.stdout == b"b''\n", heard.stderr
    assert decided(served.call(bash("ls", tool_use_id="own"))) == (None, "")
    assert [entry.body["tool_use_id"] for entry in served.entries("decision")] == ["own"]
    assert served.entries("refused") == []


@AS_ROOT
def test_a_crowd_of_another_user_takes_nobodys_place(served: Home) -> None:
    """Its connections are closed before they count: one that was there stays, and calls are decided."""
    let_in(served)
    crowd = as_nobody("-S", "-c", CROWD.read_text(), served.places.socket, "600")
    with served.connected() as kept, subprocess.Popen(crowd, stdin=subprocess.PIPE) as others:
        try:
            for number in range(20):
                kept.sendall(
                    encode_call(Call(host="claude-code", payload=bash("ls", tool_use_id=f"k{number}")))
                )
                assert kept.recv(4096)
                assert decided(served.shim(bash("ls", tool_use_id=f"s{number}"))) == (None, "")
            assert others.poll() is None
        finally:
            others.kill()

    assert len(served.entries("decision")) == 40


@AS_ROOT
def test_a_daemon_of_another_user_is_not_believed(place: Home) -> None:
    """Whoever takes the place of our socket and allows everything gets no call to see."""
    place.folder.chmod(0o755)
    place.places.run.mkdir(mode=0o777)
    place.places.run.chmod(0o777)
    with subprocess.Popen(as_nobody("-c", PRETENDER, place.places.socket), stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        verdict, reason = decided(place.shim(bash("ls")))
        other.kill()
        heard = other.stdout.read()

    assert verdict == "deny"
    assert "its socket belongs to another user" in reason
    assert heard in {b"", b"b''\n"}
