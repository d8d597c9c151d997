"""Secrets never reach the disk, whichever way they come in; evidence of calls does."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, event, wait_for

from interlock.redaction.marks import KEY_FILE, fingerprint

pytestmark = pytest.mark.deep

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OWN = "ACME-4711"
WATCH = """
import json, pathlib, sys
from interlock.daemon.client import subscribe
print(json.dumps(next(iter(subscribe(pathlib.Path(sys.argv[1]))))))
"""

POLICY = f"""
version: "2.0"
settings:
  redact: {{patterns: ["ACME-[0-9]+"]}}
hooks:
  pre_tool_use:
    - name: loud
      type: command
      matcher: "Bash(loud *)"
      config: {{command: "echo {SECRET} {OWN} >&2; exit 3"}}
  post_tool_use:
    - {{name: proof, type: evidence_capture, matcher: "Edit|Write", config: {{kind: file_change}}}}
    - {{name: ran, type: evidence_capture, matcher: "Bash", config: {{kind: command_execution}}}}
    - name: aside
      type: evidence_capture
      matcher: "Bash"
      config: {{kind: note, ledger: false, data: {{n: 1}}}}
"""


@pytest.fixture
def home(place: Home) -> Home:
    """A home whose daemon knows the policy."""
    place.write_policy(POLICY)
    place.start()
    return place


def everything(folder: Path) -> bytes:
    """All that a home has on disk, its policy apart: that is the user's own file."""
    files = (path for path in folder.rglob("*") if path.is_file() and "config" not in path.parts)
    return b"".join(path.read_bytes() for path in files)


def after(tool: str, fields: dict[str, Any], output: Any, **more: Any) -> bytes:
    """A call that is over."""
    return event("PostToolUse", tool_name=tool, tool_input=fields, tool_response=output, **more)


@pytest.mark.req("L06")
def test_no_secret_reaches_the_disk(home: Home) -> None:
    """In a command, an output short or long, a hook's errors, an error text, a prompt, a broken payload."""
    home.call(bash(f"curl -H 'Authorization: token {SECRET}' https://x.example/ # {OWN}", tool_use_id="t1"))
    home.call(bash("loud now", tool_use_id="t2"))
    home.call(after("Bash", {"command": "env"}, {"stdout": f"TOKEN={SECRET}\n{OWN}", "stderr": ""}))
    home.call(after("Bash", {"command": "env"}, {"stdout": f"{'x' * 8_150}{SECRET}{OWN}{'y' * 20_000}"}))
    failed = event(
        "PostToolUseFailure",
        tool_name="Bash",
        tool_input={"command": "x"},
        error=f"Exit code 1\n{SECRET} {OWN}",
    )
    home.call(failed)
    home.call(event("UserPromptSubmit", prompt=f"my token is {SECRET}, badge {OWN}"))
    home.call(b'{"hook_event_name": "PreToolUse", "tool_name": "Bash", "x": "' + SECRET.encode())
    wait_for(lambda: len(home.entries()) >= 7, "everything is recorded")
    home.end()

    found = everything(home.folder)
    assert SECRET.encode() not in found
    assert OWN.encode() not in found
    assert SECRET[8:24].encode() not in found
    assert home.broken() is None


NAMED = """
version: "2.0"
settings:
  redact: {patterns: ["ACME-[0-9]+"]}
hooks:
  pre_tool_use:
    - {name: kept, type: record_tool_use}
    - {name: who, type: ask, matcher: "Bash(make *)", config: {reason: "is it ready?"}}
  post_tool_use:
    - {name: kept, type: record_tool_use}
    - {name: proof, type: evidence_capture, matcher: "Write", config: {kind: file_change}}
"""


@pytest.mark.req("L06")
@pytest.mark.parametrize("secret", [SECRET, OWN])
def test_no_secret_reaches_the_disk_in_the_name_of_a_folder_a_file_or_an_agent(
    place: Home, tmp_path: Path, secret: str
) -> None:
    """In whatever field a host names them: the rest of the path stays, and equal ones stay equal."""
    place.write_policy(NAMED)
    place.start()
    folder = tmp_path / secret / "w"
    folder.mkdir(parents=True)
    about = {
        "cwd": str(folder),
        "transcript_path": str(folder / "t.jsonl"),
        "agent_id": f"a-{secret}",
        "agent_type": f"t-{secret}",
        "permission_mode": "bypassPermissions",
    }
    writes = {"file_path": f"{folder}/{secret}.txt", "content": "x"}
    calls = [
        event("SessionStart", source="startup", **about),
        event(tool_name="Write", tool_input=writes, tool_use_id="t1", **about),
        after("Write", writes, {"filePath": writes["file_path"]}, tool_use_id="t1", **about),
        bash(f"cat {folder}/a; ls ../{secret}", tool_use_id="t2", **about),
        bash("make all", tool_use_id="t3", **about),
        event("CwdChanged", new_cwd=f"/srv/{secret}", **about),
        event("SubagentStop", **about),
    ]
    for call in calls:
        place.shim(call, CLAUDE_PROJECT_DIR=str(folder))
    wait_for(lambda: len(place.entries("decision")) == len(calls), "everything is recorded")
    index = place.places.database.with_name("search.db")
    wait_for(index.exists, "the index is filled")
    place.end()

    assert secret.encode() not in everything(place.folder)
    decided_on = place.entries("decision")
    assert len({(entry.actor, entry.workspace, entry.body["cwd"]) for entry in decided_on}) == 1
    assert decided_on[0].workspace.startswith(f"{tmp_path}/[secret:")
    assert decided_on[0].workspace.endswith("]/w")
    written = decided_on[1].body["tool_input"]["file_path"]
    assert written.startswith(decided_on[0].workspace)
    assert written.endswith("].txt")
    assert place.broken() is None


@pytest.mark.req("L06", "Z10")
def test_ordinary_folders_and_files_are_recorded_as_they_are(home: Home, tmp_path: Path) -> None:
    """Search and counting by folder go on as ever; a name that only looks like an assignment stays, too."""
    folder = tmp_path / "token=1" / "src_v2"
    folder.mkdir(parents=True)
    home.call(bash(f"cat {folder}/password.txt", cwd=str(folder), tool_use_id="t1", agent_id="a1b2"))
    (entry,) = home.entries("decision")

    assert (entry.workspace, entry.body["cwd"], entry.body["agent_id"]) == (str(folder), str(folder), "a1b2")
    assert entry.body["tool_input"]["command"] == f"cat {folder}/password.txt"


@pytest.mark.req("L06")
def test_an_entry_keeps_the_fingerprint_and_what_ran(home: Home) -> None:
    """Equal secrets are recognised under the key of this home; program, host and flags are there to read."""
    home.call(bash(f"curl -H 'X-Token: {SECRET}' https://x.example/", tool_use_id="t1"))
    (entry,) = home.entries("decision")
    key = bytes.fromhex((home.places.state / KEY_FILE).read_text())
    mark = f"[secret:github:{fingerprint(SECRET.encode(), key)}]"

    assert entry.body["tool_input"]["command"] == f"curl -H 'X-Token: {mark}' https://x.example/"


@pytest.mark.req("L06")
def test_what_is_told_live_has_no_secrets_either(home: Home) -> None:
    """`interlock tail` shows what the ledger shows."""
    watch = (sys.executable, "-c", WATCH, str(home.places.socket))
    with subprocess.Popen(watch, stdout=subprocess.PIPE) as watcher:
        wait_for(lambda: _called(home, watcher), "the watcher hears of a call")
        assert watcher.stdout is not None
        told = watcher.stdout.read().decode()

    assert SECRET not in told
    assert "[secret:github:" in told


def _called(home: Home, watcher: subprocess.Popen[bytes]) -> bool:
    home.call(bash(f"echo {SECRET}"))
    return watcher.poll() is not None


@pytest.mark.req("M43", "M44")
def test_evidence_is_an_entry_of_its_own_with_the_hook_that_kept_it(home: Home) -> None:
    """Kind, data, hook with source, type and matcher, and the call it is about."""
    response = {
        "filePath": "/w/a",
        "originalFile": "one\n",
        "structuredPatch": [
            {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-one", "+two"]}
        ],
    }
    fields = {"file_path": "/w/a", "old_string": "one", "new_string": "two"}
    home.call(after("Edit", fields, response, tool_use_id="t1"))
    wait_for(lambda: home.entries("evidence"), "the evidence is recorded")
    (entry,) = home.entries("evidence")

    assert (entry.session_id, entry.event, entry.tool, entry.decision) == ("s", "PostToolUse", "Edit", None)
    assert entry.body == {
        "data": {
            "path": "/w/a",
            "created": False,
            "diff": "--- /w/a\n+++ /w/a\n@@ -1,1 +1,1 @@\n-one\n+two\n",
            "actor": "agent:main",
            "before": {"bytes": 4, "sha256": hashlib.sha256(b"one\n").hexdigest()},
            "after": {"bytes": 4, "sha256": hashlib.sha256(b"two\n").hexdigest()},
        },
        "event": "PostToolUse",
        "hook": "proof",
        "kind": "file_change",
        "matcher": "Edit|Write",
        "session_id": "s",
        "source": f"{home.policy}:12",
        "tool": "Edit",
        "tool_use_id": "t1",
        "type": "evidence_capture",
    }


@pytest.mark.req("M18", "M36")
def test_evidence_without_the_ledger_stands_in_the_trace_only(home: Home) -> None:
    """`ledger: false` makes no entry; also for a command that failed."""
    failed = {"command": "make"}
    home.call(event("PostToolUseFailure", tool_name="Bash", tool_input=failed, error="Exit code 2\nno rule"))
    wait_for(lambda: home.entries("evidence"), "the evidence is recorded")
    (entry,) = home.entries("evidence")
    (decision,) = home.entries("decision")
    traced = {row["hook"]: row.get("evidence") for row in decision.body["trace"]}

    assert (entry.body["hook"], entry.body["data"]["exit_status"], entry.body["data"]["failed"]) == (
        "ran",
        2,
        True,
    )
    assert traced["ran"] is None
    assert traced["aside"]["kind"] == "note"
    assert traced["aside"]["data"]["n"] == 1


@pytest.mark.req("L06")
def test_a_digest_does_not_give_a_short_password_away(home: Home) -> None:
    """It is of the text without the secret; otherwise anybody could try passwords until the digest fits."""
    output = {"stdout": "password=hunter2\n", "stderr": ""}
    home.call(after("Bash", {"command": "cat conf"}, output))
    wait_for(lambda: home.entries("evidence"), "the evidence is recorded")
    (entry,) = home.entries("evidence")
    kept = entry.body["data"]["stdout"]

    assert kept["sha256"] != hashlib.sha256(b"password=hunter2\n").hexdigest()
    assert (kept["bytes"], kept["redacted"]) == (17, True)


def test_other_patterns_count_from_the_next_call_on(home: Home) -> None:
    """A changed policy needs no new daemon."""
    home.call(bash("echo WORD-1", tool_use_id="a"))
    home.write_policy(POLICY.replace("ACME-", "WORD-"))
    home.call(bash("echo WORD-1", tool_use_id="b"))
    commands = [json.dumps(entry.body["tool_input"]) for entry in home.entries("decision")]

    assert "WORD-1" in commands[0]
    assert "[secret:own:" in commands[1]
