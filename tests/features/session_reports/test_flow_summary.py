"""From the decisions of a session to its figures."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.features.session_reports.service import Denial, Failure, flow_of
from interlock.ledger.entry import Entry


def entry(seq: int, event: str, payload: bytes | None = None, **body: Any) -> Entry:
    """A decision as the ledger has it."""
    written = {"event": event, "decision": "allow", "duration_ms": 2.0, **body}
    return Entry(
        seq,
        f"le_{seq}",
        "decision",
        f"2026-01-01T10:00:{seq:02}Z",
        "agent:main",
        "/w",
        "s",
        event,
        body.get("tool"),
        written["decision"],
        msgspec.json.encode({"body": written}) if payload is None else payload,
        b"",
        b"",
    )


def bash(seq: int, command: Any, event: str = "PreToolUse", **body: Any) -> Entry:
    """One shell call."""
    return entry(seq, event, tool="Bash", tool_input={"command": command}, **body)


def test_commands_are_counted_by_program_and_verb_as_the_reader_finds_them() -> None:
    """Behind `cd`, inside `bash -c`; a denied one was not used."""
    flow = flow_of(
        [
            bash(1, "cd x && git -C . status"),
            bash(2, "/usr/bin/git status --short"),
            bash(3, "bash -c 'make test'"),
            bash(4, "git push", decision="deny", reason="no\nforce"),
            bash(5, None),
            entry(6, "PreToolUse", tool="Read", tool_input={"file_path": "/x"}),
        ]
    )

    assert flow.calls == 6
    assert dict(flow.tools) == {"Bash": 5, "Read": 1}
    assert dict(flow.commands)["make test"] == 1
    assert dict(flow.commands)["git status"] >= 1
    assert "git push" not in dict(flow.commands)
    assert flow.denials == (Denial(tool="Bash", reason="no force", count=1),)


def test_steps_that_follow_one_another_twice_are_a_sequence() -> None:
    """Once is not a pattern, and the same step again is none."""
    flow = flow_of(
        [bash(n, text) for n, text in enumerate(["ls", "cat a", "ls", "cat b", "ls", "ls", "pwd"])]
    )

    assert flow.sequences == (("ls; cat", 2), ("cat; ls", 2))


def test_failures_questions_prompts_and_time() -> None:
    """With the first and the last moment."""
    flow = flow_of(
        [
            entry(1, "UserPromptSubmit", prompt="fix\n  it " + "x" * 200),
            bash(2, "make", decision="ask"),
            bash(3, "make", "PostToolUseFailure", error="boom\nat x", extra={"duration_ms": 1500}),
            bash(4, "make", "PostToolUseFailure", error="boom at x", extra={"duration_ms": True}),
            bash(5, "make", "PostToolUse", extra={"duration_ms": 500}),
        ],
        whole=False,
    )

    assert flow.prompts[0].startswith("fix it xxx")
    assert flow.prompts[0].endswith("…")
    assert flow.failures == (Failure(call="Bash make", error="boom at x", count=2),)
    assert (flow.asked, flow.tool_seconds, flow.hook_seconds) == (1, 2.0, 0.01)
    assert (flow.since, flow.until, flow.whole) == ("2026-01-01T10:00:01Z", "2026-01-01T10:00:05Z", False)


def test_what_cannot_be_read_is_passed_over() -> None:
    """An entry of another version, fields of another type; and no entries at all."""
    odd = entry(2, "PreToolUse", payload=b'{"body": {"event": 3}}')
    flow = flow_of([odd, bash(3, ["a"], extra=[1]), entry(4, "PreToolUse", tool="Bash", tool_input="x")])

    assert (flow.calls, flow.commands) == (2, ())
    assert flow_of([]).since is None
