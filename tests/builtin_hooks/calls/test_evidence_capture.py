"""What `evidence_capture` keeps of a call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builders import bash, call, view

from interlock.builtin_hooks.calls.evidence import EvidenceCapture
from interlock.builtin_hooks.calls.file_change import LONGEST
from interlock.events.event import Event
from interlock.events.verdict import Evidence, Verdict, Vote
from interlock.hosts.claude_code.read import read_event

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"


def reported(name: str) -> Event:
    """An event as the real Claude Code sent it."""
    return read_event((FIXTURES / f"{name}.json").read_bytes(), {})


def captured(event: Event, kind: str, **config: Any) -> Evidence | None:
    """What a hook of one kind keeps."""
    verdict = EvidenceCapture(kind, **config).run(view(event), 1.0)
    assert isinstance(verdict, Verdict)
    assert verdict.vote is Vote.ABSTAIN
    return verdict.evidence


def data_of(event: Event, kind: str, **config: Any) -> dict[str, Any]:
    """The data of it."""
    evidence = captured(event, kind, **config)
    assert evidence is not None
    return evidence.data


@pytest.mark.req("M43")
def test_an_edit_leaves_path_diff_and_actor() -> None:
    """The diff is the host's own, the digests are of the whole file before and after."""
    evidence = captured(reported("PostToolUse-Edit"), "file_change")

    assert evidence is not None
    assert evidence.data == {
        "path": "/project/a.txt",
        "created": False,
        "diff": "--- /project/a.txt\n+++ /project/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
        "actor": "agent:main",
    }
    assert evidence.texts == {"before": "one\ntwo\n", "after": "one\nthree\n"}


@pytest.mark.req("M43")
def test_a_new_file_is_all_additions() -> None:
    """Created is what the host says, and then nothing was there before."""
    evidence = captured(reported("PostToolUse-Write"), "file_change")

    assert evidence is not None
    assert evidence.data["created"] is True
    assert evidence.data["diff"] == "--- /dev/null\n+++ /project/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    assert evidence.texts == {"after": "one\ntwo\n"}


AFTER = "PostToolUse"


@pytest.mark.req("M43")
@pytest.mark.parametrize(
    ("tool", "fields", "lines"),
    [
        ("Edit", {"file_path": "a", "old_string": "x\ny", "new_string": "x\nz"}, [" x", "-y", "+z"]),
        ("Write", {"file_path": "a", "content": "x\n"}, ["+x"]),
        (
            "MultiEdit",
            {
                "file_path": "a",
                "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": ""}],
            },
            ["-x", "+y", "-p"],
        ),
        ("NotebookEdit", {"notebook_path": "a", "new_source": "print()"}, ["+print()"]),
    ],
)
def test_without_a_report_the_input_is_the_diff_and_says_so(
    tool: str, fields: dict[str, Any], lines: list[str]
) -> None:
    """Its pieces, marked as such: neither their place nor the file before is made up."""
    evidence = captured(call(tool, name=AFTER, tool_input=fields, cwd="/w"), "file_change")

    assert evidence is not None
    assert (evidence.data["path"], evidence.data["fragment"]) == ("/w/a", True)
    assert [line for line in evidence.data["diff"].splitlines()[2:] if not line.startswith("@@")] == lines
    assert "created" not in evidence.data
    assert evidence.texts == {}


@pytest.mark.req("M43")
def test_a_shell_command_leaves_the_paths_it_writes_and_no_diff() -> None:
    """Nobody saw what was written, so nothing is made up."""
    one = data_of(bash("echo x > out.txt", name=AFTER, cwd="/w"), "file_change")
    two = data_of(bash("rm a; echo x > b", name=AFTER, cwd="/w"), "file_change")

    assert one == {"path": "/w/out.txt", "actor": "agent:main"}
    assert two["files"] == [{"path": "/w/a", "deleted": True}, {"path": "/w/b"}]
    assert "diff" not in two
    assert captured(bash("ls", name=AFTER, cwd="/w"), "file_change") is None


@pytest.mark.req("M36")
def test_a_failed_call_leaves_its_error_and_no_diff() -> None:
    """Nothing changed; that it was tried and why it failed is what is kept."""
    fields = {"file_path": "/w/a", "old_string": "x", "new_string": "y"}
    event = call("Edit", name="PostToolUseFailure", tool_input=fields, error="no such text")

    assert data_of(event, "file_change") == {
        "path": "/w/a",
        "actor": "agent:main",
        "failed": True,
        "error": "no such text",
    }


@pytest.mark.req("M43")
def test_a_long_diff_keeps_its_head_and_says_what_was_cut() -> None:
    """16 KB at most, and the digests are of the whole."""
    event = call("Write", name=AFTER, tool_input={"file_path": "/w/a", "content": "line é\n" * 10_000})
    data = data_of(event, "file_change")

    assert len(data["diff"].encode()) <= LONGEST
    assert data["diff_cut"]["of"] - data["diff_cut"]["bytes"] == len(data["diff"].encode())


@pytest.mark.req("M18")
def test_a_command_leaves_what_ran_and_how_it_ended() -> None:
    """As the host tells it; a status it does not tell is null and never concluded."""
    evidence = captured(reported("PostToolUse-Bash"), "command_execution")

    assert evidence is not None
    assert evidence.data == {
        "command": "echo hello",
        "exit_status": None,
        "duration_ms": 44,
        "interrupted": False,
        "actor": "agent:main",
    }
    assert evidence.texts == {"stdout": "hello", "stderr": ""}


@pytest.mark.req("M36", "M18")
def test_a_failed_command_leaves_the_status_the_host_told() -> None:
    """It stands in the error, and the error is kept."""
    assert data_of(reported("PostToolUseFailure-Bash-failing"), "command_execution") == {
        "command": "echo oops >&2; exit 3",
        "exit_status": 3,
        "duration_ms": 15,
        "interrupted": False,
        "actor": "agent:main",
        "failed": True,
        "error": "Exit code 3\noops",
    }


@pytest.mark.req("M18")
def test_any_other_kind_keeps_its_data_and_chosen_fields() -> None:
    """Written in the policy, or named there and taken from the tool's input."""
    event = call("mcp__shop__order", name=AFTER, tool_input={"item": "pen", "count": 2, "note": "x"})
    found = captured(event, "order", ledger=False, data={"team": "shop"}, fields=["item", "count", "none"])

    assert found == Evidence(
        kind="order",
        data={"team": "shop", "item": "pen", "count": 2, "actor": "agent:main"},
        ledger=False,
    )


def test_before_a_call_nothing_has_happened() -> None:
    """A hook in the wrong place keeps no change that nobody made."""
    assert captured(reported("PreToolUse-Edit"), "file_change") is None
    assert captured(reported("PreToolUse-Bash"), "command_execution") is None
