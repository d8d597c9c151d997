"""What was done under a claim, from the real shim to `commitment show`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import Interlock, typed_for_real
from tests.daemon.home import Home, event, wait_for
from tests.features.commitments.test_commitment_methods import commit

from interlock.daemon.client import request

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
settings: {actors: {main: agent:executor}}
hooks:
  pre_tool_use:
    - {type: ask, matcher: "Bash(make release)", config: {reason: is it ready?}}
"""
EVIDENCE = """\
  post_tool_use:
    - {matcher: "Write|Edit", type: evidence_capture, config: {kind: file_change}}
    - {matcher: Bash, type: evidence_capture, config: {kind: command_execution}}
"""


@pytest.fixture
def project(served: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, and the command line in it."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTERLOCK_HOME", str(served.folder))
    return tmp_path


@pytest.fixture
def typed() -> Interlock:
    """The installed command."""
    return typed_for_real


def ran(home: Home, project: Path, tool: str, given: dict[str, Any], answer: dict[str, Any]) -> None:
    """A call from its question to the report of its result."""
    about = {"cwd": str(project), "tool_name": tool, "tool_input": given, "tool_use_id": str(given)}
    for name, more in (("PreToolUse", {}), ("PostToolUse", {"tool_response": answer})):
        done = home.shim(event(name, **about, **more))
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.req("M6", "M18", "M43", "M44")
@pytest.mark.parametrize("evidence", [EVIDENCE, ""])
def test_a_commitment_shows_what_was_done_under_it(
    served: Home, project: Path, typed: Interlock, evidence: str
) -> None:
    """Commands, file changes with diffs and approvals; with hooks that keep evidence and without."""
    served.write_policy(POLICY + evidence)
    name = commit(served, project)
    ran(served, project, "Bash", {"command": "echo before"}, {"stdout": "before"})
    assert typed("claim", name, "--session", "s").code == 0
    ran(served, project, "Bash", {"command": "make test"}, {"stdout": "ok", "exit_code": 0})
    file = {"file_path": str(project / "a.py"), "content": "one = 1\n"}
    ran(served, project, "Write", file, {"type": "create", "originalFile": None})
    release: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "make release"},
        "tool_use_id": "t3",
    }
    served.shim(event(cwd=str(project), permission_mode="bypassPermissions", **release))
    assert typed("approvals", "approve", "ap_1", "--yes").code == 0
    (submitted,) = typed("submit", name, "-s", "tests pass", "--json").documents
    ran(served, project, "Bash", {"command": "echo after"}, {"stdout": "after"})

    found = typed("commitment", "show", name, "--json").document
    assert [row["command"] for row in found["commands"]] == ["make test"]
    (changed,) = found["files"]
    assert changed["path"] == str(project / "a.py")
    assert "+one = 1" in changed["diff"]
    assert changed["actor"] == "agent:executor"
    states = [(row["approval"], row["state"]) for row in found["approvals"]]
    assert states[:2] == [("ap_1", "requested"), ("ap_1", "approved")]
    assert [one["body"] for one in found["evidence"]] == ["tests pass"]
    shown = typed("commitment", "show", name).out
    for said in ("make test", "+one = 1", "ap_1 approved by human:", "(entry "):
        assert said in shown

    entries = typed("ledger", "search", name, "--json", "--limit", "100").documents
    ops = {entry["op"] for entry in entries}
    assert ops >= {"decision", "approval", "claim", "submit"} | ({"evidence"} if evidence else set())
    told = [entry.body for entry in served.entries() if entry.session_id == "s" and entry.op != "claim"]
    carried = [body.get("commitment_id") for body in told]
    first = carried.index(name)
    last = len(carried) - carried[::-1].index(name)
    assert set(carried[first:last]) == {name}
    assert submitted["commitment"]["evidence"]


@pytest.mark.req("M43", "M44")
def test_what_was_done_under_an_open_commitment_outlives_its_entries(
    served: Home, project: Path, typed: Interlock
) -> None:
    """Over two removals and a restart it is told as before; of one that has ended it goes with them."""
    served.write_policy(POLICY + EVIDENCE)
    name, over = commit(served, project), commit(served, project)
    for one in (over, name):
        typed("claim", one, "--session", "s")
        ran(served, project, "Bash", {"command": f"make {one}"}, {"stdout": "ok", "exit_code": 0})
    ran(
        served, project, "Write", {"file_path": str(project / "a.py"), "content": "one\n"}, {"type": "create"}
    )
    release: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "make release"}}
    served.shim(event(cwd=str(project), permission_mode="bypassPermissions", tool_use_id="t3", **release))
    typed("approvals", "approve", "ap_1", "--yes", "--note", "go on")
    typed("close", over, "--evidence", served.entries("capture")[0].id)

    def told(of: str) -> dict[str, Any]:
        found = typed("commitment", "show", of, "--json").document
        lists = ("commands", "files", "other_evidence", "approvals")
        return {one: [{**row, "seq": 0} for row in found[one]] for one in lists}

    before = told(name)
    for _ in range(2):
        last = served.entries()[-1].seq
        request(served.places.socket, "ledger.prune", {"last": last, "rule": "x"})
        wait_for(lambda last=last: served.entries()[0].seq > last, "they are gone")
        served.end()
        served.start()

    assert before["files"][0]["diff"].endswith("+one\n")
    assert [row["command"] for row in before["commands"]] == [f"make {name}"]
    assert before["approvals"][1]["note"] == "go on"
    assert told(name) == before
    assert told(over)["commands"] == []
    assert served.broken() is None


@pytest.mark.req("M65")
def test_nothing_is_submitted_without_a_word(served: Home, project: Path, typed: Interlock) -> None:
    """The refusal names the two ways, and no evidence is invented."""
    name = commit(served, project)
    typed("claim", name)
    refused = typed("submit", name)

    assert refused.code == 1
    assert refused.err == (
        "interlock: `submit` has no `evidence`; "
        "name a memory as `evidence`, or say in `summary` what you did\n"
    )
    assert [entry.body["body"] for entry in served.entries("capture")] == ["seen"]
