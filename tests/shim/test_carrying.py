"""Laws of the shim when the daemon answers: nothing is added, nothing is lost."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.shim.peer import Peer, answering
from tests.shim.shim_home import ShimHome, event
from tests.shim.wire import answer

from interlock.version import __version__

pytestmark = pytest.mark.deep


@pytest.mark.parametrize(
    ("out", "err", "code"),
    [
        (b"", b"", 0),
        (b'{"a": 1}\n', b"", 0),
        (b"", b"no\n", 2),
        (b"...\0\xff", b"...ILR1", 255),
        (bytes(range(256)) * 16_384, b"e" * 1_000_000, 1),
    ],
)
def test_the_answer_is_passed_on_byte_for_byte(place: ShimHome, out: bytes, err: bytes, code: int) -> None:
    """Both streams and the exit code are the daemon's."""
    place.write_launch()
    with Peer(place.socket, answering(answer(out, err, code))):
        done = place.run(event())

    assert (done.stdout, done.stderr, done.returncode) == (out, err, code)


@pytest.mark.parametrize("payload", [b"", b"\0\xff{", event(), event(prompt="x" * 3_000_000)])
def test_the_event_reaches_the_daemon_byte_for_byte(place: ShimHome, payload: bytes) -> None:
    """Whatever the host wrote is the daemon's to read, also when it is not JSON."""
    place.write_launch()
    with Peer(place.socket, answering(answer())) as peer:
        place.run(payload)

    assert [frame.payload for frame in peer.frames] == [payload]


def test_the_header_names_host_version_and_seven_variables(place: ShimHome) -> None:
    """No other variable leaves the host's environment."""
    place.write_launch()
    env = {
        "AGENT_ID": "a=b",
        "CLAUDE_PROJECT_DIR": "",
        "INTERLOCK_ACTOR": "agent:x",
        "INTERLOCK_ACTORS": "no",
        "SECRET": "no",
        "TMUX": "/tmp/tmux-0/default,7,0",
        "TMUX_PANE": "%3",
    }
    with Peer(place.socket, answering(answer())) as peer:
        place.run(event(), "codex", env=env)
        place.run(event(), env={})

    assert [frame.fields for frame in peer.frames] == [
        {
            "host": "codex",
            "shim": __version__,
            "state": str(place.folder / "state"),
            "env.INTERLOCK_ACTOR": "agent:x",
            "env.AGENT_ID": "a=b",
            "env.CLAUDE_PROJECT_DIR": "",
            "env.TMUX": "/tmp/tmux-0/default,7,0",
            "env.TMUX_PANE": "%3",
        },
        {"host": "claude-code", "shim": __version__, "state": str(place.folder / "state")},
    ]


def test_the_header_names_the_home(place: ShimHome) -> None:
    """The state folder, and the folders of policies the daemon is started with, whatever their bytes."""
    place.write_launch(["/usr/bin/true", "run", "--managed-config=/m a=b", "--user-config=/é", "--state=/s"])
    with Peer(place.socket, answering(answer())) as peer:
        place.run(event(), env={})

    (frame,) = peer.frames
    said = {key: frame.fields[key] for key in ("state", "config", "managed")}
    assert said == {"state": str(place.folder / "state"), "config": "/é", "managed": "/m a=b"}


def test_without_a_home_the_launch_file_lies_beside_the_program(place: ShimHome) -> None:
    """It is the program's own folder, not the one a link to it lies in, and no variable moves it."""
    place.write_launch()
    real = place.folder / "bin"
    real.mkdir()
    shutil.copy(place.shim, real / "interlock-hook")
    place.launch.rename(real / "interlock-hook.launch")
    link = place.folder / "link"
    link.symlink_to(real / "interlock-hook")
    with Peer(place.socket, answering(answer(b"ok"))):
        done = subprocess.run([link], input=event(), env={}, capture_output=True, timeout=60, check=False)

    assert done.stdout == b"ok"


def test_a_token_is_passed_over(place: ShimHome) -> None:
    """It only makes the host's entry unlike any other; the call is carried as without it."""
    place.write_launch()
    with Peer(place.socket, answering(answer(b"ok"))) as peer:
        done = place.run(event(), "--token=0123456789abcdef0123456789abcdef", "claude-code")

    assert done.stdout == b"ok"
    assert peer.frames[0].fields["host"] == "claude-code"


@pytest.mark.parametrize(
    "words",
    [
        ["--home", "relative"],
        ["--home="],
        ["--nonsense"],
        ["--token"],
        ["a", "b"],
        ["a/b"],
        [""],
        ["pause"],
        ["--home"],
    ],
)
def test_words_that_are_not_understood_refuse(shim: Path, words: list[str]) -> None:
    """A mistake in the host's settings is a refusal that shows how it is written."""
    done = subprocess.run([shim, *words], input=event(), capture_output=True, timeout=60, check=False)

    assert done.returncode == 2
    assert b"use: interlock-hook" in done.stderr


def test_the_version_is_the_packages(shim: Path) -> None:
    """Shim and package are built as one."""
    done = subprocess.run([shim, "--version"], capture_output=True, timeout=60, check=False)

    assert done.stdout.decode() == f"interlock-hook {__version__}\n"


def test_an_answer_that_cannot_be_written_refuses(place: ShimHome) -> None:
    """Without a standard output half an answer would let the call pass."""
    place.write_launch()
    script = 'exec "$@" >&-'
    with Peer(place.socket, answering(answer(b"allow"))):
        done = subprocess.run(
            ["sh", "-c", script, "sh", *place.command()], input=event(), timeout=60, check=False
        )

    assert done.returncode == 2


def test_no_standard_descriptor_is_a_refusal_and_no_crash(place: ShimHome) -> None:
    """What takes the place of a closed descriptor is never taken for the host."""
    place.write_launch()
    script = 'exec "$@" <&- >&- 2>&-'
    with Peer(place.socket, answering(answer(b"allow"))) as peer:
        done = subprocess.run(["sh", "-c", script, "sh", *place.command()], timeout=60, check=False)

    assert done.returncode == 2
    assert peer.frames == []
