"""Laws of entries whose secrets were taken out, and of evidence shown to people."""

from __future__ import annotations

import sqlite3

import pytest

from interlock.cli.show import details
from interlock.ledger.verify import standing_of, verify
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.redactor import Redactor

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.req("L06")
def test_columns_are_those_of_the_redacted_body(database: sqlite3.Connection) -> None:
    """A secret in a column would be one on the disk, and `verify` compares them with the payload."""
    writer = LedgerWriter(database, redact=Redactor(bytes(32)).body)
    body = {"event": "PreToolUse", "session_id": SECRET, "tool": "Bash", "decision": "deny", "x": 1.5}
    (entry,) = [writer.append("decision", "agent:main", "/w", body)]
    writer.flush()

    assert entry.session_id == entry.body["session_id"]
    assert (entry.event, entry.tool, entry.decision, entry.body["x"]) == ("PreToolUse", "Bash", "deny", 1.5)
    assert SECRET.encode() not in entry.payload
    assert verify(database).broken is None


@pytest.mark.req("L06")
def test_what_a_call_names_is_kept_and_asked_for_only_when_needed(database: sqlite3.Connection) -> None:
    """Reading the call again is paid for by the few entries that hold a secret."""
    asked: list[str] = []

    def keep() -> set[str]:
        asked.append("asked")
        return {"/srv/secret=1"}

    writer = LedgerWriter(database, redact=Redactor(bytes(32)).body)
    writer.append("decision", "a", "", {"tool_input": {"command": "ls"}}, keep=keep)
    assert asked == []
    entry = writer.append(
        "decision", "a", "", {"tool_input": {"command": "rm /srv/secret=1 password=xyz"}}, keep=keep
    )

    assert asked == ["asked"]
    assert "/srv/secret=1" in entry.body["tool_input"]["command"]
    assert "xyz" not in entry.body["tool_input"]["command"]


@pytest.mark.req("M43")
def test_a_diff_is_shown_as_lines_that_cannot_change_the_terminal(database: sqlite3.Connection) -> None:
    """Below the body, each line as it is, with control characters written out."""
    writer = LedgerWriter(database)
    data = {"path": "/w/a", "diff": "--- /w/a\n+++ /w/a\n@@ -1,1 +1,1 @@\n-one\n+two\x1b[2J\n"}
    entry = writer.append("evidence", "agent:main", "/w", {"kind": "file_change", "data": data})
    writer.flush()
    lines = details(entry, standing_of(database, entry))

    assert lines[lines.index("diff") :][:6] == [
        "diff",
        "--- /w/a",
        "+++ /w/a",
        "@@ -1,1 +1,1 @@",
        "-one",
        "+two\\x1b[2J",
    ]
