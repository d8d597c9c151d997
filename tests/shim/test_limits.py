"""Laws of the shim under tight limits: it answers or refuses wherever the smallest program starts."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import pytest
from hatch_build import compiler
from tests.shim.peer import Peer, answering
from tests.shim.shim_home import ShimHome, denied, event
from tests.shim.wire import answer

pytestmark = pytest.mark.deep

KB = 1024
MOST_STATIC = 256 * KB
SIZES = (10, 2_000_000)  # of the event: within what is there at the start, and beyond
MEMORY = (*range(0, 2_048 * KB, 128 * KB), *(size * KB for size in (3_000, 8_000, 33_000, 60_000)))
SWEPT = {
    "AS": MEMORY,
    "DATA": MEMORY,
    "STACK": (16 * KB, 24 * KB, 64 * KB),  # below, it is luck whether anything starts
    "RSS": (0, 64 * KB),
    "MEMLOCK": (0, 64 * KB),
    "NOFILE": (0, 3, 4, 5, 8),
    "NPROC": (0, 1),
    "FSIZE": (0, 1, 4 * KB),
}


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A static program that does nothing, as `/bin/true` is on a small system."""
    folder = tmp_path_factory.mktemp("nothing")
    source, target = folder / "true.c", folder / "true"
    source.write_text("int main(void) { return 0; }\n")
    cc = compiler() or pytest.skip("it needs a C compiler")
    made = subprocess.run([*cc, "-static", "-o", target, source], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("there is no static C library")
    return target


def run_limited(
    command: Sequence[str | Path], limit: str, most: int, payload: bytes = b"", out: BinaryIO | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a program that may have no more of something."""
    kind: int = getattr(resource, f"RLIMIT_{limit}")
    return subprocess.run(
        command,
        input=payload,
        env={},
        stdout=out or subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(kind, (most, most)),
        timeout=60,
        check=False,
    )


def held(done: subprocess.CompletedProcess[bytes]) -> bool:
    """The daemon's answer arrived, or the host takes what came for a refusal."""
    if done.returncode == 2:
        return bool(done.stderr)
    return done.returncode == 0 and (done.stdout == b"said" or b'"permissionDecision":"deny"' in done.stdout)


@pytest.mark.req("D12", "F01")
@pytest.mark.parametrize("limit", SWEPT)
def test_wherever_a_program_starts_the_shim_answers_or_refuses(
    place: ShimHome, nothing: Path, limit: str
) -> None:
    """At each limit under which the smallest static program runs, no call passes without a word."""
    place.write_launch()
    started = 0
    with Peer(place.socket, answering(answer(b"said"))):
        for most in SWEPT[limit]:
            if run_limited([nothing], limit, most).returncode != 0:
                continue
            for size in SIZES:
                done = run_limited(place.command(), limit, most, event(prompt="x" * size))
                assert held(done), (most, size, done)
            started += 1

    assert started > 0


@pytest.mark.req("D12", "F01")
@pytest.mark.parametrize("limit", ["AS", "DATA"])
def test_without_memory_each_event_is_answered_by_the_table(place: ShimHome, limit: str) -> None:
    """Before an action the exit code refuses, with the reason; after it the event passes, noted."""
    place.write_launch()
    most, large = 4_000 * KB, "x" * 6_000_000
    payload, over = event(prompt=large), event("PostToolUse", prompt=large)
    with Peer(place.socket, answering(answer(b"said"))):
        before = run_limited(place.command(), limit, most, payload)
        after = run_limited(place.command(), limit, most, over)
        unread = run_limited(place.command(), limit, most, b'{"prompt":"' + large.encode() + b'"}')
        other = run_limited(place.command("codex"), limit, most, over)

    why = "its input of {} bytes does not fit into the memory there is"
    assert before.returncode == unread.returncode == other.returncode == 2
    assert before.stdout == unread.stdout == other.stdout == b""
    assert why.format(len(payload)) in before.stderr.decode()
    assert (after.returncode, after.stdout, after.stderr) == (0, b"", b"")
    assert place.gaps()[:2] == [
        f"PreToolUse refused: {why.format(len(payload))}",
        f"PostToolUse passed: {why.format(len(over))}",
    ]


@pytest.mark.req("D12", "F01")
def test_an_answer_that_does_not_fit_refuses_the_call(place: ShimHome) -> None:
    """What the daemon decided is not known then, so the call does not run."""
    place.write_launch()
    with Peer(place.socket, answering(answer(b"x" * 6_000_000))):
        done = run_limited(place.command(), "DATA", 4_000 * KB, event())

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"not enough memory for the daemon's answer" in done.stderr


@pytest.mark.req("D12", "F01")
def test_where_no_file_may_grow_the_call_is_refused(hasty: ShimHome, tmp_path: Path) -> None:
    """Neither the line for the ledger nor an answer that goes to a file ends the shim."""
    hasty.write_launch()
    noted = run_limited(hasty.command(), "FSIZE", 0, event(prompt="x" * 17_000_000))
    with (tmp_path / "out").open("wb") as out:
        written = run_limited(hasty.command(), "FSIZE", 0, event(), out)

    assert "is larger than 16 MiB" in denied(noted)
    assert written.returncode == 2
    assert b"Interlock cannot be reached" in written.stderr


def test_the_shim_takes_little_memory_to_start(shim: Path) -> None:
    """Whatever is in it, larger things are mapped when they are needed."""
    counted = subprocess.run(["size", shim], capture_output=True, text=True, check=False)
    if counted.returncode != 0:
        pytest.skip("there is no `size` here")
    _, data, bss, *_ = counted.stdout.splitlines()[1].split()

    assert int(data) + int(bss) < MOST_STATIC
