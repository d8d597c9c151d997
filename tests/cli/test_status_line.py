"""One line for hosts that show one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import SCRIPT
from tests.daemon.home import Home, bash, event

pytestmark = pytest.mark.deep

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


DRAWING = """
version: "2.0"
hooks:
  status_line:
    - {type: command, matcher: "*", config: {command: cat said.json}}
    - {type: command, once: true, config: {command: "cat > told.json"}}
"""


@pytest.mark.req("C13")
def test_its_hooks_run_and_what_they_tell_the_person_ends_the_line(person: Home, tmp_path: Path) -> None:
    """They see what the host sent, each time it draws; a policy without such a hook records nothing."""
    told = {**TOLD, "cwd": str(tmp_path)}
    person.write_policy(POLICY)
    person.shim(event("SessionStart"))
    bare = line(person.folder, told)
    (tmp_path / "said.json").write_text('{"decision": "allow", "message": "on main"}')
    person.write_policy(DRAWING)
    for _ in range(2):
        assert line(person.folder, told) == f"{bare.strip()} · on main\n"
    person.shim(bash("ls"))  # durable, and so is all before it

    names = [entry.body["event"] for entry in person.entries("decision")]
    assert names == ["SessionStart", "StatusLine", "StatusLine", "PreToolUse"]
    assert json.loads((tmp_path / "told.json").read_text())["model"]["display_name"] == "Opus"


def test_a_hook_that_hangs_takes_only_its_own_words_from_the_line(person: Home) -> None:
    """The rest is shown within the host's five seconds."""
    person.write_policy(
        'version: "2.0"\nhooks:\n  status_line:\n    - {type: command, config: {command: sleep 60}}\n'
    )
    person.shim(event("SessionStart"))

    assert line(person.folder, TOLD) == "Opus · shop · context 42 % · 0 calls\n"
