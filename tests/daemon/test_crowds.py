"""Laws of a daemon that others crowd: neither idle connections nor used up descriptors keep a call out."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided
from tests.daemon.test_server import answer, frame

from interlock.daemon.client import subscribe

pytestmark = [pytest.mark.req("D10", "D16"), pytest.mark.deep]

CROWD = Path(__file__).with_name("crowd.py")
PROCESSES, OF_EACH = 9, 240  # more together than the daemon takes, each fewer than it takes of one
ASKS = '{"jsonrpc":"2.0","id":1,"method":"status"}\n'
WATCHES = '{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n'
BEGINS = "ILK1"
FORCED = """\
version: "2.0"
hooks: {pre_tool_use: [{name: stop, type: deny, matcher: "Bash(git push *)", config: {reason: "not today"}}]}
"""
DENIED = ("deny", "Tool denied: not today")
CALLS = 12
Process = subprocess.Popen[str]


@pytest.fixture
def guarded(place: Home) -> Home:
    """A home that denies pushes, and its daemon."""
    place.write_policy(FORCED)
    place.start()
    return place


@contextmanager
def crowd(
    home: Home, words: str, *, processes: int = PROCESSES, each: int = OF_EACH
) -> Iterator[list[Process]]:
    """Processes that hold connections, once they hold them all."""
    command = [sys.executable, "-I", "-S", str(CROWD), str(home.places.socket), str(each), words]
    pipe = subprocess.PIPE
    held = [subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) for _ in range(processes)]
    try:
        for process in held:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
        yield held
    finally:
        for process in held:
            process.kill()
            process.communicate()


def recorded(home: Home) -> list[tuple[str, str]]:
    """The id and the decision of every call in the ledger."""
    return [(entry.body["tool_use_id"], entry.body["decision"]) for entry in home.entries("decision")]


@pytest.mark.parametrize("words", ["", BEGINS, ASKS, WATCHES], ids=["idle", "begun", "asked", "watching"])
def test_two_thousand_connections_keep_no_call_out(guarded: Home, words: str) -> None:
    """Each call through the real shim is decided and recorded, and a connection that is used stays."""
    ids = ["first"]
    with guarded.connected() as kept:
        kept.sendall(frame(bash("git push -f", tool_use_id="first")))
        assert decided(answer(kept)) == DENIED
        with crowd(guarded, words) as crowds:
            for number in range(CALLS):
                ids += [f"shim-{number}", f"kept-{number}"]
                assert decided(guarded.shim(bash("git push -f", tool_use_id=ids[-2]))) == DENIED
                kept.sendall(frame(bash("git push -f", tool_use_id=ids[-1])))
                assert decided(answer(kept)) == DENIED
            assert all(process.poll() is None for process in crowds)

    assert recorded(guarded) == [(one, "deny") for one in ids]


def test_a_watcher_stays_while_others_are_idle(guarded: Home) -> None:
    """A dashboard that was there before goes on hearing of decisions."""
    notes = subscribe(guarded.places.socket)
    with guarded.connected() as watcher:
        watcher.sendall(WATCHES.encode())
        lines = watcher.makefile("rb")
        lines.readline()
        with crowd(guarded, ASKS):
            guarded.shim(bash("git push"))
            assert json.loads(lines.readline())["params"]["decision"] == "deny"
        lines.close()
    notes.close()  # type: ignore[attr-defined] # it is a generator, which its type does not say


def test_one_process_cannot_take_every_place(guarded: Home) -> None:
    """Beyond its share its own idle connections make room for the next; nobody else's do."""
    pid = guarded.started[0].pid
    with guarded.connected() as other:
        other.sendall(ASKS.encode())
        assert other.recv(4096)
        with crowd(guarded, ASKS, processes=1, each=600):
            # They are taken in the order they came, so all of them were when one more is answered.
            assert guarded.status() is not None
            held = _open(pid)
            other.sendall(ASKS.encode())
            assert other.recv(4096)

    assert held < 350


def test_a_connection_that_says_nothing_is_closed_soon(served: Home) -> None:
    """A shim speaks at once; one that was used may be silent."""
    with served.connected() as silent, served.connected() as kept:
        kept.sendall(frame(bash("ls")))
        answer(kept)
        assert silent.recv(1) == b""
        kept.sendall(frame(bash("ls")))
        answer(kept)


def test_with_few_descriptors_calls_are_decided_before_idle_connections_are_kept(place: Home) -> None:
    """However few are granted, and without spinning; a soft limit below what is granted is raised."""
    place.write_policy(FORCED)
    process = place.start("sh", "-c", 'ulimit -n 64; exec "$@"', "sh")
    with crowd(place, "", processes=2, each=60):
        before, since = cpu_seconds(process.pid), time.monotonic()
        ids = [f"t{number}" for number in range(CALLS)]
        for one in ids:
            assert decided(place.shim(bash("git push", tool_use_id=one))) == DENIED
        used, passed = cpu_seconds(process.pid) - before, time.monotonic() - since

    assert recorded(place) == [(one, "deny") for one in ids]
    assert used < passed
    assert process.poll() is None


def test_a_soft_limit_is_raised(place: Home) -> None:
    """What a terminal grants by default is less than there may be connections."""
    process = place.start("sh", "-c", 'ulimit -S -n 64; exec "$@"', "sh")
    soft, hard = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)

    assert soft == min(hard, 8_192)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux changes a limit of another process"
)
@pytest.mark.parametrize("words", ["", ASKS], ids=["idle", "asked"])
def test_with_every_descriptor_in_use_calls_are_decided(guarded: Home, words: str) -> None:
    """Some are put by for whoever comes; an answer needs no more."""
    pid = guarded.started[0].pid
    assert decided(guarded.shim(bash("git push", tool_use_id="first"))) == DENIED
    ids = [f"t{number}" for number in range(CALLS)]
    with crowd(guarded, words, processes=1, each=100):
        # None is free below the limit now, but for those that are put by.
        highest = max(int(one.name) for one in Path(f"/proc/{pid}/fd").iterdir())
        hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1, hard))
        for one in ids:
            assert decided(guarded.shim(bash("git push", tool_use_id=one))) == DENIED

    assert recorded(guarded) == [(one, "deny") for one in ("first", *ids)]


def _open(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def cpu_seconds(pid: int) -> float:
    """The processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
