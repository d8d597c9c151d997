"""One line for hosts that show one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.conftest import place as place  # noqa: PLC0414 - a fixture for this file too
from tests.daemon.home import Home

POLICY = """
version: "2.0"
hooks:
  pre_tool_use:
    - {type: deny, matcher: "Bash(rm *)", config: {reason: No.}}
    - {type: ask, matcher: "Bash(git push *)", config: {reason: Sure?}}
"""
TOLD = {
    "hook_event_name": "Status",
    "session_id": "s1",
    "model": {"id": "m", "display_name": "Opus"},
    "workspace": {"current_dir": "/srv/shop", "project_dir": "/srv/shop"},
    "context_window": {"used_percentage": 42.4},
}


def line(home: Path, given: Any) -> str:
    """What the host would show."""
    text = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [SCRIPT, "status-line"],
        input=text,
        env={"INTERLOCK_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)},
        cwd="/",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.req("C13", "C73")
def test_it_tells_the_session_its_calls_and_who_waits(place: Home) -> None:
    """What the host says, then what we know; a call nobody answered waits."""
    place.write_policy(POLICY)
    place.start()
    for number, command in enumerate(["ls", "rm x", "git push"]):
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{number}"}
        mode = {"permission_mode": "bypassPermissions", "hook_event_name": "PreToolUse", "session_id": "s1"}
        place.shim(json.dumps({**call, **mode, "cwd": "/", "transcript_path": "/t"}).encode())

    assert line(place.folder, TOLD) == "Opus · shop · context 42 % · 3 calls, 2 denied · ap_1 waits for you\n"
    assert line(place.folder, {**TOLD, "session_id": "s2"}) == "Opus · shop · context 42 % · 0 calls\n"


@pytest.mark.req("C73")
@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b"null", b'{"session_id": 3, "model": "x", "cwd": []}', b"\xff"]
)
def test_whatever_it_is_given_it_never_fails(tmp_path: Path, given: bytes) -> None:
    """No output, or what is known."""
    assert line(tmp_path, given) in {"", "no ledger yet · the daemon is not running\n"}


def test_a_folder_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """Escapes are taken out, and a line has an end."""
    shown = line(tmp_path, {"cwd": "/x/\x1b]0;evil\x07\n" + "a" * 500})

    assert shown.isprintable() or shown.rstrip("\n").isprintable()
    assert len(shown) == 201
