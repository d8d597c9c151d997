"""Laws of a call that is asked about again, because the daemon that decided it is gone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.daemon.home import PROJECT, Home, bash, decided, event, wait_for

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: count, type: command, matcher: "Bash(make *)", config: {command: "echo run >> FOLDER/runs"}}
    - {name: stop, type: deny, matcher: "Bash(git push *)", config: {reason: "not today"}}
    - name: mirror
      type: modify
      matcher: Bash(curl *)
      config: {set: {command: "curl https://mirror/ -H 'Authorization: Bearer 8fj2kd93hf7s6d5f4g3h2j1k'"}}
"""
# A daemon that is killed when it would send its first answer: what that rests on is on the disk. It sends no
# heartbeat before, however slow the machine is, for a shim that has heard one does not ask again.
KILLED = """\
import os, signal, sys
from interlock.daemon.__main__ import main
from interlock.daemon.connection import Connection

Connection.beat = Connection._listen
Connection.answer = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.exit(main())
"""


def start_killed(home: Home) -> None:
    """Start a daemon that dies between its first commit and the answer."""
    command = [sys.executable, "-I", "-c", KILLED, *home.command()[4:]]
    process = subprocess.Popen(command, env={"PATH": "/usr/bin:/bin"})
    home.started.append(process)
    wait_for(lambda: process.poll() is not None or home.status() is not None, "the daemon answers")


def prepared(home: Home) -> Home:
    """A home with the policy, whose daemon is about to be killed."""
    home.write_policy(POLICY.replace("FOLDER", str(home.folder)))
    start_killed(home)
    return home


@pytest.mark.parametrize(("command", "says"), [("make all", None), ("git push origin", "deny")])
def test_a_call_asked_again_after_a_kill_has_one_entry_and_its_first_answer(
    place: Home, command: str, says: str | None
) -> None:
    """The shim asks the next daemon, which finds the decision on record: no hook runs twice."""
    prepared(place)
    reply = place.shim(bash(command, tool_use_id="t1"))

    assert decided(reply) == (says, "Tool denied: not today" if says else "")
    assert place.started[0].poll() is not None
    assert [(entry.op, entry.body["tool_use_id"]) for entry in place.entries() if entry.event] == [
        ("decision", "t1")
    ]
    runs = place.folder / "runs"
    assert (runs.read_text() if runs.exists() else "") == ("run\n" if "make" in command else "")


def test_the_first_answer_stands_under_a_later_policy(place: Home) -> None:
    """A call is decided once, whatever has changed before it was asked about again."""
    prepared(place)
    payload = bash("git push origin", tool_use_id="t1")
    first = place.shim(payload)
    place.write_policy(POLICY.replace("git push *", "git fetch *"))

    assert (decided(first)[0], decided(place.shim(payload))[0]) == ("deny", "deny")
    assert decided(place.shim(bash("git push origin", tool_use_id="t2")))[0] is None


@pytest.mark.parametrize(
    "other",
    [
        bash("git push origin", tool_use_id="t1", session_id="another"),
        bash("git push origin", tool_use_id="t1", cwd="/usr/bin"),
        bash("git push origin v2", tool_use_id="t1"),
        bash("git push origin", tool_use_id="t2"),
    ],
)
def test_another_call_with_a_part_of_its_name_is_decided(place: Home, other: bytes) -> None:
    """Session, id, folder and input make a call the same; an id used again brings no other call's answer."""
    prepared(place)
    place.shim(bash("git push origin", tool_use_id="t1"))
    place.shim(other)

    assert len(place.entries("decision")) == 2


def test_a_call_whose_secret_input_was_changed_is_denied_with_the_next_step(place: Home) -> None:
    """The record holds no secrets, so what the host would have run is not known any more."""
    prepared(place)
    reply = place.shim(bash("curl https://x/", tool_use_id="t1"))

    vote, reason = decided(reply)
    assert vote == "deny"
    assert "make the call again" in reason
    assert decided(place.shim(bash("curl https://x/", tool_use_id="t2")))[0] is None


def test_what_ran_is_compared_with_the_first_decision(place: Home) -> None:
    """A call whose answer was given again is watched to its end as any other."""
    prepared(place)
    place.shim(bash("make all", tool_use_id="t1"))
    after = {"tool_name": "Bash", "tool_use_id": "t1", "cwd": PROJECT, "tool_response": {}}
    place.shim(event("PostToolUse", tool_input={"command": "make other"}, **after))

    wait_for(lambda: place.entries("overridden"), "it is noted that another input ran")
