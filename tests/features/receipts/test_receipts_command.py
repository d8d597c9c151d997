"""Laws of `interlock receipts`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.daemon.home import Home, event, wait_for

pytestmark = pytest.mark.deep

MAIL = {"to": "bob@example.org", "subject": "hi\x1b[31m"}
POLICY = 'version: "2.0"\nhooks: {pre_tool_use: [{type: record_tool_use, config: {repeat: deny}}]}\n'


@pytest.fixture
def home(place: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose policy records calls and denies repeats, and no daemon yet."""
    place.write_policy(POLICY)
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    return place


def send(home: Home, use_id: str, name: str = "PreToolUse", **fields: object) -> None:
    """A mail, or what became of it."""
    about = {"tool_name": "mcp__gmail__send_email", "tool_input": MAIL, "tool_use_id": use_id}
    home.call(event(name, **{**about, **fields}))


def unfinished(home: Home, interlock: Interlock) -> str:
    """The name of a call without an end."""
    home.start()
    send(home, "t1")
    (row,) = interlock("receipts", "list", "--unfinished", "--json").documents
    return str(row["id"])


def test_nothing_is_recorded_at_first(home: Home, interlock: Interlock) -> None:
    """The daemon is started when it is down, and nothing is an answer."""
    assert (
        interlock("receipts", "list").out
        == "No calls are recorded. A hook of type `record_tool_use` in your policy records them.\n"
    )
    assert interlock("receipts", "list", "--unfinished").out == "Every recorded call has ended.\n"


def test_a_call_is_listed_shown_and_settled(home: Home, interlock: Interlock) -> None:
    """What went in is shown with every character visible."""
    name = unfinished(home, interlock)
    header, row = interlock("receipts", "list").out.splitlines()
    shown = interlock("receipts", "show", name)
    settled = interlock("receipts", "resolve", name, "--succeeded", "--note", "it is in Sent")

    assert header.split() == ["ID", "STATUS", "CLASS", "BEGUN", "SESSION", "TOOL", "CALL"]
    assert re.split(r"  +", row)[:3] == [name, "prepared", "external"]
    assert "\x1b" not in shown.out
    assert "how to look: check on the other side" in shown.out
    assert "request (" in shown.out
    assert re.fullmatch(rf"{name} is settled by human:\S+: it succeeded\n", settled.out)
    assert "note: it is in Sent" in interlock("receipts", "show", name).out
    assert interlock("receipts", "list", "--unfinished").out == "Every recorded call has ended.\n"


def test_a_call_may_run_once_more(home: Home, interlock: Interlock) -> None:
    """Where a person says so."""
    name = unfinished(home, interlock)
    done = interlock("receipts", "resolve", name, "--retry", "--json").document

    assert (done["id"], done["status"], done["answer"]) == (name, "failed", "retry")
    send(home, "t2")
    assert [row["attempt"] for row in interlock("receipts", "list", "--json").documents] == [2, 1]


def test_a_run_that_waits_for_a_person_is_said(home: Home, interlock: Interlock) -> None:
    """With the call to look at; settled, it waits no more."""
    name = unfinished(home, interlock)
    send(home, "t1", "PostToolUseFailure", error="connection reset")
    wait_for(lambda: "failed" in interlock("receipts", "list").out, "the end is recorded")
    listed = interlock("receipts", "list", "--unfinished")

    assert re.search(rf"run s has waited for a person since \S+: .*{name}", listed.out)
    assert "error: error: connection reset" in interlock("receipts", "show", name).out
    assert interlock("receipts", "resolve", name, "--failed").code == 0
    assert interlock("receipts", "list", "--unfinished").out == "Every recorded call has ended.\n"


def test_one_session_alone(home: Home, interlock: Interlock) -> None:
    """And at most so many."""
    home.start()
    for number in range(3):
        send(home, f"t{number}", session_id=f"s{number % 2}", tool_input={"to": str(number)})

    rows = interlock("receipts", "list", "--session", "s0", "--json").documents
    assert [row["use_id"] for row in rows] == ["t2", "t0"]
    assert len(interlock("receipts", "list", "--limit", "1", "--json").documents) == 1


def test_step_marks_are_listed_under_that_name(home: Home, interlock: Interlock) -> None:
    """A checkpoint is the signed end of a ledger; only the command keeps the old word."""
    name = unfinished(home, interlock)

    assert re.search(rf"side effect +{name} ", interlock("receipts", "checkpoints").out)
    assert "List step marks" in interlock("receipts", "--help").out
    assert "one step mark a line" in interlock("receipts", "checkpoints", "--help").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "tc_none"), "there is no recorded call `tc_none`; see `interlock receipts list`"),
        (
            ("show", "ap_7"),
            "`ap_7` is not the id of a call; write `tc_…` as `interlock receipts list` shows it",
        ),
        (("resolve", "tc_none", "--failed"), "there is no recorded call `tc_none`"),
        (("resolve", "tc_none"), "add one of --succeeded, --failed and --retry"),
        (("resolve", "tc_none", "--failed", "--retry"), "add one of --succeeded, --failed and --retry"),
    ],
)
def test_a_mistake_gets_one_sentence(
    home: Home, interlock: Interlock, words: tuple[str, ...], said: str
) -> None:
    """And nothing is written."""
    home.start()
    typed = interlock("receipts", *words)

    assert (typed.code, len(typed.err.splitlines())) == (2, 1)
    assert said in typed.err
    assert home.entries("receipt") == []


def test_in_an_agents_hands_the_command_is_refused(
    home: Home, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever must not send twice does not say that it was not sent."""
    name = unfinished(home, interlock)
    monkeypatch.setenv("CLAUDECODE", "1")
    typed = interlock("receipts", "resolve", name, "--failed")

    assert typed.code == 2
    assert "is for people" in typed.err
    assert [entry.op for entry in home.entries("receipt")] == []
