"""Laws of `interlock status`."""

from __future__ import annotations

import resource
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.test_log import record
from tests.cli.typed import Interlock, typed_for_real
from tests.quick_tier import slowness

from interlock.cli.policy_source import here
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.features.approvals.requests import call_bytes, digest_of
from interlock.store.database import open_database
from interlock.store.statements import statements


def test_a_fresh_machine_is_not_guarded_and_says_what_to_do(interlock: Interlock) -> None:
    """Exit 1, without a daemon, and none is started."""
    done = interlock("status")
    lines = done.out.splitlines()

    assert done.code == 1
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        "Agents",
        "Policy",
        "Daemon",
        "Waiting",
        "Today",
    ]
    assert "Fix: interlock setup" in " ".join(done.out.split())
    assert lines[-1] == "Today     0 calls, 0 denied, 0 asked"
    assert not here().socket.exists()


def test_todays_calls_are_counted(interlock: Interlock) -> None:
    """A call that waits for a person was asked about; the end of a call is not another one."""
    record("allow", "ls")
    record("allow", "ls", event="PostToolUse")
    record("deny", "rm -rf /")
    record("deny", "git push", approval="ap_1", reason="Ask the user to run `interlock approve ap_1`.")

    assert interlock("status", "--json").document["today"] == {"calls": 3, "denied": 1, "asked": 1}


def test_what_waits_is_named_without_a_daemon(interlock: Interlock) -> None:
    """With its id, what it asks, and the command that answers."""
    tool = ToolCall(name="Bash", input={"command": "git push"})
    call = call_bytes(Event(name="PreToolUse", cwd="/w", tool=tool))
    with closing(open_database(here().database)) as connection:
        request = {
            **dict.fromkeys(("session_id", "revision", "reason", "commitment"), "x"),
            "actor": "agent:a",
            "call": call,
            "digest": digest_of(call),
            "approvers": "[]",
            "now": "2026-01-01T00:00:00.000Z",
            "expires_at": "2999-01-01T00:00:00.000Z",
            "root": "/w",
            "project": "/w",
            "tool": "Bash",
            "rule": "push",
            "seen": 1,
        }
        connection.execute(statements("approvals")["request"], request)
    done = interlock("status")

    assert "Waiting   ap_1  agent:a asks: git push" in done.out.splitlines()
    assert "`interlock approve ID`" in done.out


@pytest.mark.deep
def test_it_takes_less_than_a_second(tmp_path: Path) -> None:
    """Of a processor: how long it takes on a busy machine says how busy that is; a slow one gets more."""
    spent = [_spent(tmp_path) for _ in range(3)]

    assert min(spent) < max(1, slowness()), spent


def _spent(home: Path) -> float:
    before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    typed_for_real("status", INTERLOCK_HOME=str(home))
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before
