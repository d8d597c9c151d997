"""Laws of how the shim is built, and of what takes its place where it cannot be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hatch_build import BARE, FALLBACK, compiled, compiler, flag_sets
from tests.shim.peer import Peer, answering
from tests.shim.shim_home import ShimHome, denied, event
from tests.shim.wire import answer


@pytest.mark.parametrize(
    ("system", "machine", "ways"),
    [
        ("linux", "x86_64", [BARE, ("-static",), ()]),
        ("linux", "aarch64", [BARE, ("-static",), ()]),
        ("linux", "riscv64", [("-static",), ()]),
        ("darwin", "arm64", [("-mmacosx-version-min=11.0",)]),
    ],
)
def test_the_quickest_program_is_tried_first(system: str, machine: str, ways: list[tuple[str, ...]]) -> None:
    """Without a C library where we speak to the kernel ourselves, with one elsewhere."""
    assert list(flag_sets(system, machine, wide=True)) == ways


def test_a_narrow_machine_has_a_c_library() -> None:
    """A 32-bit Python on a 64-bit kernel may have a compiler that knows no other calls."""
    assert BARE not in flag_sets("linux", "x86_64", wide=False)


def test_no_compiler_is_told_and_not_raised(tmp_path: Path) -> None:
    """The package can be installed without one."""
    assert compiler({"CC": str(tmp_path / "cc"), "PATH": ""}) is None
    assert "no C compiler" in compiled(tmp_path / "shim", "1", {"CC": "", "PATH": str(tmp_path)})


@pytest.mark.deep
def test_a_compiler_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    """So is one whose program does not run here."""
    cc = tmp_path / "cc"
    cc.write_text("#!/bin/sh\necho out of ideas >&2\nexit 1\n")
    cc.chmod(0o755)
    failed = compiled(tmp_path / "shim", "1", {"CC": str(cc)})
    cc.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf x >"$2"\n')
    useless = compiled(tmp_path / "shim", "1", {"CC": str(cc)})

    assert failed == "out of ideas"
    assert "Permission denied" in useless


@pytest.mark.deep
def test_the_script_in_its_place_refuses_when_it_cannot_answer(tmp_path: Path) -> None:
    """Every end of it that is not an answer is one a host takes for a refusal."""
    command = [sys.executable, str(FALLBACK), "--nonsense"]
    done = subprocess.run(command, input=b"", cwd=tmp_path, capture_output=True, timeout=60, check=False)

    assert done.returncode == 2
    assert done.stdout == b""


@pytest.mark.deep
def test_through_the_c_library_it_does_the_same(checked_shim: Path, folder: Path) -> None:
    """A large answer, a start, a hung daemon and a refusal, each step in memory checked."""
    place = ShimHome(shim=checked_shim, folder=folder)
    place.write_launch()
    big = bytes(range(256)) * 8_192
    with Peer(place.socket, answering(b"." + answer(big, b"e", 3))) as peer:
        carried = place.run(event(prompt="x" * 2_000_000))
    with Peer(folder / "other", lambda connection, _frame: connection.close()):
        place.socket.unlink()
        (folder / "other").rename(place.socket)
        closed = place.run(event())
    place.write_launch(place.serving())
    started = place.run(event("SessionStart"))
    place.launch.unlink()

    assert (carried.stdout, carried.stderr, carried.returncode) == (big, b"e", 3)
    assert len(peer.frames) == 1
    assert "closed the connection" in denied(closed)
    assert started.stdout == b"served"
    assert len(place.started()) == 1
    assert "its launch file is missing" in denied(place.run(event()))
