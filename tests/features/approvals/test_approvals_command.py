"""Laws of `interlock approvals` and `interlock grants`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tests.cli.typed import SCRIPT, Interlock
from tests.daemon.home import SHIM, Home, bash, decided, wait_for
from tests.terminal import at_terminal

from interlock.files.passphrase import hash_passphrase

pytestmark = pytest.mark.deep

NONE_WAITING = "No requests are waiting. `interlock approvals list --all` shows those that were answered.\n"
NONE_IN_FORCE = "No grants are in force. `interlock grants list --all` shows expired and revoked ones.\n"
AGENT = Path(__file__).parents[2] / "cli" / "agent.py"
POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {type: ask, name: push, matcher: "Bash(git push *)", config: {reason: is it ready?}}
"""


@pytest.fixture
def home(place: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose policy asks before a push, and no daemon yet."""
    place.write_policy(POLICY)
    monkeypatch.setenv("INTERLOCK_HOME", str(place.folder))
    return place


def ask(home: Home, use_id: str, command: str = "git push origin") -> str | None:
    """Report a command that nobody watches; without a host's marks, or this process would count as one."""
    payload = bash(command, tool_use_id=use_id, permission_mode="default", session_id="s-1")
    return decided(home.call(payload))[0]


def test_the_daemon_is_started_when_it_is_down(home: Home, interlock: Interlock) -> None:
    """Nothing waits, which is an answer."""
    listed = interlock("approvals", "list")

    assert (listed.code, listed.out) == (0, NONE_WAITING)
    assert home.status() is not None


def test_a_request_is_listed_shown_and_approved(home: Home, interlock: Interlock) -> None:
    """The table has a row, the page the call, and the answer lets one retry pass."""
    home.start()
    ask(home, "t1")
    listed, shown = interlock("approvals", "list"), interlock("approvals", "show", "ap_1")
    approved = interlock("approvals", "approve", "ap_1", "--yes", "--note", "fine")

    header, row = listed.out.splitlines()
    assert header.split() == ["ID", "STATE", "LEFT", "ACTOR", "TOOL", "CALL", "WHY"]
    assert re.split(r"  +", row)[:2] == ["ap_1", "pending"]
    assert re.split(r"  +", row)[5:] == ["git push origin", "is it ready?"]
    assert shown.out.splitlines()[1:4] == ["Bash in /usr", "  | git push origin", "runs: git"]
    assert "why: is it ready?" in shown.out
    assert "To allow this, a person can add to" in shown.out
    assert '- "Bash(git push origin)"' in shown.out
    assert "asked by: agent:main in session s-1" in shown.out
    assert re.fullmatch(r"ap_1 is approved by human:\S+\n", approved.out)
    assert [ask(home, "t2"), ask(home, "t3")] == [None, "deny"]


def test_scripts_get_json(home: Home, interlock: Interlock) -> None:
    """Every answer is an object a line."""
    home.start()
    ask(home, "t1")
    (row,) = interlock("approvals", "list", "--json").documents
    shown = interlock("approvals", "show", "ap_1", "--json").document
    (done,) = interlock("approvals", "approve", "ap_1", "--yes", "--grant", "session", "--json").documents
    (grant,) = interlock("grants", "list", "--json").documents
    alone = interlock("show", "gr_1", "--json").document
    (revoked,) = interlock("grants", "revoke", "gr_1", "--json").documents

    assert (row["id"], row["state"], row["tool"]) == ("ap_1", "pending", "Bash")
    assert shown["call"]["input"] == {"command": "git push origin"}
    assert (done["state"], done["grant"]) == ("approved", "gr_1")
    assert (grant["id"], grant["session_id"], grant["approval"]) == ("gr_1", "s-1", "ap_1")
    assert {name: alone[name] for name in grant} == grant
    assert revoked["state"] == "revoked"


def test_a_grant_is_shown_whole(home: Home, interlock: Interlock) -> None:
    """What it covers first; with what became of it, also when it is over."""
    home.start()
    none = interlock("grants", "list").out
    ask(home, "t1")
    interlock("approve", "ap_1", "--yes", "--grant", "session", "--note", "while I watch")
    before = interlock("show", "gr_1")
    interlock("grants", "revoke", "gr_1")
    after = interlock("grants", "show", "gr_1")

    assert before.out.splitlines()[:2] == ["gr_1 (in force)", "covers: exactly the call of ap_1"]
    assert "session: s-1\n" in before.out
    assert "note: while I watch\n" in before.out
    assert after.out.splitlines()[0] == "gr_1 (revoked)"
    assert "\nrevoked by: human:" in after.out
    assert (interlock("show", "gr_9").code, "there is no grant `gr_9`" in interlock("show", "gr_9").err) == (
        2,
        True,
    )
    assert none == interlock("grants", "list").out == NONE_IN_FORCE


def test_a_no_is_one_word(home: Home, interlock: Interlock) -> None:
    """Several at once; the agent reads who refused."""
    home.start()
    ask(home, "t1", "git push 1")
    ask(home, "t2", "git push 2")
    denied = interlock("approvals", "deny", "ap_1", "ap_2", "--note", "not on a Friday")

    assert denied.code == 0
    assert denied.out.count("is denied by human:") == 2
    assert interlock("approvals", "list").out == NONE_WAITING
    assert interlock("approvals", "list", "--all").out.count("denied") == 2


@pytest.mark.req("Z10")
@pytest.mark.parametrize("words", [["approvals", "approve"], ["approve"]])
def test_on_a_terminal_the_call_is_shown_before_the_question(home: Home, words: list[str]) -> None:
    """`y` approves what was shown; anything else leaves it."""
    home.start()
    ask(home, "t1")
    env = {**os.environ, "INTERLOCK_HOME": str(home.folder), "TERM": "dumb"}
    refused, first = at_terminal([SCRIPT, *words, "ap_1"], b"n\n", env=env)
    waited = ask(home, "t2")
    agreed, second = at_terminal([SCRIPT, *words, "ap_1"], b"y\n", env=env)

    assert (refused, agreed) == (1, 0)
    assert first.index("  | git push origin") < first.index("Approve ap_1? [y/N]:")
    assert waited == "deny"
    assert "ap_1 is approved by" in second
    assert ask(home, "t3") is None


@pytest.mark.parametrize(
    "words", [["deny", "ap_1"], ["deny", "ap_1", "--yes"], ["approvals", "deny", "ap_1"]]
)
def test_on_a_terminal_a_request_is_denied_without_a_question(home: Home, words: list[str]) -> None:
    """The person reads what came of it, and the agent at its next try who denied it and why."""
    home.start()
    ask(home, "t1")
    env = {**os.environ, "INTERLOCK_HOME": str(home.folder), "TERM": "dumb"}
    code, screen = at_terminal([SCRIPT, *words, "--note", "not on a Friday"], env=env)
    again = decided(home.call(bash("git push origin", permission_mode="default", session_id="s-1")))

    assert code == 0, screen
    assert re.fullmatch(r"ap_1 is denied by human:\S+", screen.strip())
    assert again[0] == "deny"
    assert "denied this (ap_1): not on a Friday" in str(again[1])
    assert home.entries("approval")[-1].body["state"] == "denied"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["approve", "ap_9", "--yes"], "there is no request `ap_9`; run `interlock approvals list --all`"),
        (["approve", "seven", "--yes"], "`seven` is not a request; write it like `ap_7`"),
        (["show", "ap_9"], "there is no request `ap_9`"),
        (["approve", "ap_1"], "there is no terminal to confirm on"),
        (["approve", "ap_1", "--yes", "--until", "7d"], "--until only applies to a grant"),
        (
            ["approve", "ap_1", "--yes", "--grant", "Bash(git *)"],
            "a pattern needs an end; add --until",
        ),
        (["approve", "ap_1", "--yes", "--grant", "Bash(*)", "--until", "7d"], "narrow it, or add --broad"),
        (["approve", "ap_1", "--yes", "--grant", "Bash(ls)", "--until", "7d"], "does not cover the call"),
        (["approve", "ap_1", "--yes", "--grant", "x(", "--until", "7d"], "is not a pattern"),
        (["approve", "ap_1", "--yes", "--grant", "Bash(git *)", "--until", "soon"], "`soon` is not a time"),
        (["approve", "ap_1", "--yes", "--grant", "session", "--until", "2020-01-01"], "is in the past"),
    ],
)
def test_a_mistake_gets_one_sentence_and_changes_nothing(
    home: Home, interlock: Interlock, words: list[str], why: str
) -> None:
    """With the next step, and an exit code that is not 0."""
    home.start()
    ask(home, "t1")
    done = interlock("approvals", *words)

    assert done.code != 0
    assert why in done.err
    assert done.err.count("\n") == 1
    assert interlock("approvals", "list", "--json").document["state"] == "pending"


def test_watching_prints_what_is_asked_next(home: Home) -> None:
    """A line for each request, as it comes."""
    home.start()
    ask(home, "t1", "git push 1")
    watching = subprocess.Popen(
        [SCRIPT, "approvals", "list", "--watch", "--json"],
        env={**os.environ, "INTERLOCK_HOME": str(home.folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert watching.stdout is not None
    try:
        first = json.loads(watching.stdout.readline())
        ask(home, "t2", "git push 2")
        second = json.loads(watching.stdout.readline())
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=90)

    assert [first["summary"], second["summary"]] == ["git push 1", "git push 2"]
    assert watching.returncode == 130


@pytest.mark.req("Z02")
@pytest.mark.parametrize(
    "words", [["approvals", "approve", "ap_1", "--yes"], ["approvals", "list"], ["grants", "revoke", "gr_1"]]
)
def test_an_agent_is_refused_and_recorded(home: Home, words: list[str]) -> None:
    """The kernel says whose child the command is."""
    home.start()
    ask(home, "t1")
    agent = [sys.executable, str(AGENT), str(SHIM), str(home.folder), json.dumps([SCRIPT, *words])]
    done = subprocess.run(
        agent,
        env={**os.environ, "INTERLOCK_HOME": str(home.folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    code, _, err = json.loads(done.stdout)
    wait_for(lambda: home.entries("refused"), "the refusal is recorded")

    assert code == 2
    assert "is for people" in err
    assert home.entries("refused")[0].body["session_id"] == "s-agent"
    assert ask(home, "t2") == "deny"


def test_tail_names_the_request(home: Home) -> None:
    """A call that became a ticket reads as the question it was."""
    home.start()
    watching = subprocess.Popen(
        [SCRIPT, "tail", "-n", "1"],
        env={**os.environ, "INTERLOCK_HOME": str(home.folder), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    number = 0

    def told() -> bool:
        nonlocal number
        number += 1
        ask(home, f"t{number}")
        return watching.poll() is not None

    wait_for(told, "the watcher hears of it")
    out, _ = watching.communicate(timeout=90)

    assert "\task ap_1\t" in out
    assert "\tgit push origin\t" in out


@pytest.mark.req("Z02")
def test_a_passphrase_is_typed_before_a_yes(home: Home) -> None:
    """Where one is set; a no needs none."""
    home.start()
    (home.places.state / "passphrase").write_bytes(
        msgspec.json.encode(hash_passphrase("correct horse battery"))
    )
    ask(home, "t1", "git push 1")
    ask(home, "t2", "git push 2")
    env = {**os.environ, "INTERLOCK_HOME": str(home.folder), "TERM": "dumb"}
    command = [SCRIPT, "approvals", "approve", "ap_1", "--yes"]
    wrong, _ = at_terminal(command, b"one\n", b"two\n", b"three\n", env=env)
    right, screen = at_terminal(command, b"correct horse battery\n", env=env)
    denied, _ = at_terminal([SCRIPT, "approvals", "deny", "ap_2"], env=env)

    assert (wrong, right, denied) == (2, 0, 0)
    assert "ap_1 is approved by" in screen
