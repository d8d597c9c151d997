"""Acceptance: the real client dies in the middle of a call, and the next session does not make it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome
from clients.turns import bash, say, use

RECORDING = {
    "pre_tool_use": [
        {"name": "once", "type": "record_tool_use", "config": {"repeat": "deny", "scope": "project"}}
    ]
}
SEND = bash("sh send.sh")
# Sends, and then the client that runs it is gone before it could report anything.
DIES = """\
echo sent >> sent.txt
p=$PPID
while ! grep -Eq 'claude|node' /proc/$p/comm; do
  p=$(awk '/^PPid:/ {print $2}' /proc/$p/status)
  [ "$p" -gt 1 ] || exit 1
done
kill -9 $p
sleep 5
"""


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home, with a policy that denies repeats in a project."""
    installed = InterlockHome(home=home)
    installed.policy(hooks=RECORDING)
    try:
        installed.install()
        yield installed
    finally:
        installed.end()


def recorded(interlock: InterlockHome, *words: str) -> list[dict[str, object]]:
    """The recorded calls, the newest first."""
    lines = interlock.call("receipts", "list", "--json", *words).stdout.splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.req("U9", "U23", "U25", "U29")
def test_a_call_of_a_client_that_died_is_not_made_again_until_a_person_says_so(
    project: Path, interlock: InterlockHome
) -> None:
    """Killed between the deed and its report: told at the next start, denied, retried once, then done."""
    script, sent = project / "send.sh", project / "sent.txt"
    script.write_text(DIES, encoding="utf-8")
    died = run_claude(project, interlock.home, [SEND, say("bye")])
    assert died.exit_code != 0
    (row,) = recorded(interlock, "--unfinished")
    assert (row["status"], row["tool"], row["summary"]) == ("prepared", "Bash", "sh send.sh")

    script.write_text("echo sent >> sent.txt\n", encoding="utf-8")
    warned = run_claude(project, interlock.home, [SEND, say("bye")])
    assert "Do not repeat them blindly" in warned.said()
    assert "Idempotent tool call detected." in warned.tool_results()[0]
    assert sent.read_text("utf-8") == "sent\n"

    interlock.call("receipts", "resolve", str(row["id"]), "--retry", "--note", "nothing arrived")
    again = run_claude(project, interlock.home, [SEND, SEND, say("bye")])
    first, second = again.tool_results()
    assert "Do not repeat" not in again.said()
    assert "Idempotent" not in first
    assert "This exact call succeeded" in second
    assert sent.read_text("utf-8") == "sent\nsent\n"
    assert [one["status"] for one in recorded(interlock)] == ["succeeded", "failed"]
    assert [entry["answer"] for entry in interlock.ledger() if entry["op"] == "receipt"] == ["retry"]


def test_every_call_of_a_session_is_closed_with_its_output(project: Path, interlock: InterlockHome) -> None:
    """Also one that failed; what only reads may be repeated at will."""
    (project / "a.txt").write_text("hello", encoding="utf-8")
    read = use("Read", file_path=str(project / "a.txt"))
    run = run_claude(project, interlock.home, [read, read, bash("cat missing.txt"), say("bye")])

    assert not any("Idempotent" in text for text in run.tool_results())
    assert [(one["tool"], one["status"]) for one in recorded(interlock)] == [
        ("Bash", "failed"),
        ("Read", "succeeded"),
        ("Read", "succeeded"),
    ]
    assert recorded(interlock, "--unfinished") == []
