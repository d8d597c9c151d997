"""Laws of a socket that belongs to one home: no other home's policy answers a call, whoever listens there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from tests.daemon.home import Home, bash, decided, event, remove, wait_for

from interlock.daemon.client import DaemonError, call_daemon
from interlock.daemon.launcher import start
from interlock.daemon.paths import Places
from interlock.daemon.protocol import Call, encode_call
from interlock.errors import InterlockError

pytestmark = [pytest.mark.req("Z01"), pytest.mark.deep]

DENIES = """\
version: "2.0"
hooks: {pre_tool_use: [{name: all, type: deny, matcher: Bash, config: {reason: "not here"}}]}
"""
DENIED = ("deny", "Tool denied: not here")
PASSED = "PostToolUse passed: the daemon at its socket serves another home"
# A shim of a version that did not say its home yet: our program's name, the usual words, and nothing more.
OLD_SHIM = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.settimeout(90)
peer.connect(sys.argv[1])
peer.sendall(sys.stdin.buffer.read())
heard = b""
while piece := peer.recv(4096):
    heard += piece
    if heard.lstrip(b".")[:4] == b"ILR1":
        break
sys.stdout.buffer.write(heard.lstrip(b"."))
"""


@dataclass(kw_only=True)
class Intruder(Home):
    """Another home whose daemon listens at the socket of the first."""

    first: Home
    config: Path | None = None
    state: Path | None = None

    @property
    def places(self) -> Places:
        """Its own, but for the socket."""
        own = super().places
        return msgspec.structs.replace(
            own,
            socket=self.first.places.socket,
            state=self.state or own.state,
            user_config=self.config or own.user_config,
        )


@pytest.fixture
def judged(place: Home) -> Home:
    """A home that denies every command, and its daemon."""
    place.write_policy(DENIES)
    place.start()
    assert decided(place.shim(bash("ls"))) == DENIED
    return place


@pytest.fixture
def intruder(judged: Home) -> Iterator[Intruder]:
    """A home without a policy, whose daemon has taken the place of the first one's."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    found = Intruder(folder=folder, first=judged)
    judged.end()
    found.start()
    yield found
    found.end()
    remove(folder)


def test_a_shim_is_not_answered_by_another_homes_daemon(judged: Home, intruder: Intruder) -> None:
    """What acts is denied with the reason, what is over passes and is noted, and both ledgers know."""
    before = decided(judged.shim(bash("ls", tool_use_id="t1")))
    after = decided(judged.shim(event("PostToolUse", tool_name="Read", tool_input={}, tool_use_id="t0")))

    assert before[0] == "deny"
    assert "serves another home" in before[1]
    assert "interlock doctor" in before[1]
    assert after == (None, "")
    assert (
        "PostToolUse passed: the daemon at its socket serves another home" in judged.places.gaps.read_text()
    )
    wait_for(lambda: len(intruder.entries("refused")) == 2, "the refusals are recorded")
    assert str(judged.places.state) in intruder.entries("refused")[0].body["reason"]
    assert intruder.entries("decision") == []


def test_the_same_state_with_other_policies_is_another_home(judged: Home) -> None:
    """A variable that moves the policies only does not bring another policy in either."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    found = Intruder(folder=folder, first=judged, state=judged.places.state)
    judged.end()
    found.start()
    verdict, reason = decided(judged.shim(bash("ls")))
    found.end()
    remove(folder)

    assert verdict == "deny"
    assert "serves another home" in reason


def test_the_clients_in_python_are_refused_alike(judged: Home, intruder: Intruder) -> None:
    """A call that says its home, and whoever would start the daemon and finds another's."""
    call = Call(host="claude-code", payload=bash("ls"), home=judged.places.home)
    with pytest.raises(DaemonError, match="serves another home"):
        call_daemon(judged.places.socket, call)
    with pytest.raises(InterlockError, match="interlock daemon restart"):
        start(judged.places)


def test_a_link_to_a_home_is_that_home(judged: Home) -> None:
    """A folder has many spellings, and all are the same folder."""
    link = judged.folder / "link"
    link.symlink_to(judged.places.state)
    call = Call(host="claude-code", payload=bash("ls"), home=(str(link), str(judged.places.user_config), ""))

    assert decided(call_daemon(judged.places.socket, call)) == DENIED


@pytest.fixture
def old_shim(judged: Home) -> Path:
    """A program named as the shim, with the launch file of the first home beside it."""
    folder = judged.folder / "bin"
    folder.mkdir()
    program = folder / "interlock-hook"
    shutil.copy(os.path.realpath(sys.executable), program)
    shutil.copy(judged.folder / "launch", folder / "interlock-hook.launch")
    return program


def say_as_old(program: Path, socket: Path, *words: str) -> bytes:
    """What an old shim hears at a socket."""
    library = {"LD_LIBRARY_PATH": str(sysconfig.get_config_var("LIBDIR")), "PYTHONHOME": sys.base_prefix}
    call = encode_call(Call(host="claude-code", payload=bash("ls")))
    command = [str(program), "-c", OLD_SHIM, str(socket), *words]
    done = subprocess.run(command, input=call, env=library, capture_output=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells which program calls")
@pytest.mark.parametrize("words", [[], ["--home"]], ids=["beside", "with a home"])
def test_an_old_shim_is_known_by_its_launch_file(
    judged: Home, old_shim: Path, intruder: Intruder, words: list[str]
) -> None:
    """It is answered by its own home's daemon as before, and by no other's."""
    given = [*words, str(judged.folder)] if words else []
    by_another = say_as_old(old_shim, judged.places.socket, *given)
    intruder.end()
    judged.start()
    by_own = say_as_old(old_shim, judged.places.socket, *given)

    assert by_another == b"ILH1"
    assert DENIED[1].encode() in by_own


def test_who_does_not_say_its_home_is_answered_at_the_homes_own_socket_only(
    judged: Home, intruder: Intruder
) -> None:
    """A client by the protocol that came before has no launch file; where it calls tells whose it is."""
    with pytest.raises(DaemonError, match="serves another home"):
        judged.call(bash("ls"))
    intruder.end()
    judged.start()

    assert decided(judged.call(bash("ls"))) == DENIED
