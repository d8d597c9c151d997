"""Laws of recorded calls in a real daemon: killed between the two ends of a call, it knows of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import PROJECT, Home, bash, decided, event, wait_for
from tests.features.receipts.receipt_setup import ALLOW, MAIL, SEND, send, sent

from interlock.daemon.agent_processes import Agents
from interlock.daemon.caller_kind import Kind, Standing
from interlock.daemon.client import DaemonError, request
from interlock.daemon.jsonrpc import PEER
from interlock.daemon.people_only import guarded_methods
from interlock.daemon.protocol import Call, decode_answer, encode_call
from interlock.daemon.row_pruner import RowPruner
from interlock.features.receipts.hook import RecordToolUse
from interlock.features.receipts.service import RecordedCalls
from interlock.ledger.writer import LedgerWriter
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.policy.settings.ledger import Retention
from interlock.store.database import open_database, open_to_read

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {type: record_tool_use, config: {repeat: REPEAT, scope: project}}
"""


@pytest.fixture
def guarded(place: Home) -> Home:
    """A home whose policy denies repeats in a project."""
    place.write_policy(POLICY.replace("REPEAT", "deny"))
    place.start()
    return place


def mail(use_id: str, name: str = "PreToolUse", **fields: Any) -> bytes:
    """A mail, as Claude Code reports it."""
    given = {"tool_name": SEND, "tool_input": MAIL, "tool_use_id": use_id, **fields}
    return event(name, **given)


def killed(home: Home) -> None:
    """The daemon dies at once, and another one starts."""
    process = home.started.pop()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    home.start()


def listed(home: Home, **params: Any) -> list[dict[str, Any]]:
    """The recorded calls, the newest first."""
    found: list[dict[str, Any]] = request(home.places.socket, "receipts.list", params)["calls"]
    return found


def begun(home: Home, session_id: str = "s2", **fields: Any) -> dict[str, Any]:
    """What is said when a session starts."""
    reply = home.call(event("SessionStart", session_id=session_id, **{"source": "startup", **fields}))
    return json.loads(reply.stdout) if reply.stdout else {}


@pytest.mark.req("U23", "U25", "U26")
def test_killed_between_the_two_ends_of_a_call_its_repeat_is_found(guarded: Home) -> None:
    """The row is on the disk before the answer leaves; nobody sends the mail twice."""
    assert decided(guarded.call(mail("t1")))[0] is None
    killed(guarded)
    vote, reason = decided(guarded.call(mail("t2", session_id="s2")))

    assert vote == "deny"
    assert "its end is not known: it may have happened" in reason
    (row,) = listed(guarded, unfinished=True)
    assert (row["status"], row["use_id"], row["side_effect"]) == ("prepared", "t1", "external")
    assert guarded.broken() is None


@pytest.mark.req("U23", "U25")
def test_through_the_real_shim_a_mail_is_sent_once_over_a_crash(guarded: Home) -> None:
    """The shim starts the next daemon by itself; the call under its own id is still the same call."""
    first = decided(guarded.shim(mail("t1")))
    process = guarded.started.pop()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    same, again = decided(guarded.shim(mail("t1"))), decided(guarded.shim(mail("t2")))

    assert [first[0], same[0], again[0]] == [None, None, "deny"]
    assert len(listed(guarded)) == 1


@pytest.mark.req("U23")
def test_at_the_next_start_agent_and_person_hear_of_calls_without_an_end(guarded: Home) -> None:
    """Once they are settled nobody speaks of them any more."""
    guarded.call(mail("t1"))
    guarded.call(bash("ls", tool_use_id="t9"))
    killed(guarded)
    said = begun(guarded)
    (row,) = [row for row in listed(guarded, unfinished=True) if row["tool"] == SEND]

    assert row["id"] in said["systemMessage"]
    context = said["hookSpecificOutput"]["additionalContext"]
    assert context.startswith("1 tool call in this project")
    assert "Do not repeat them blindly" in context
    assert begun(guarded, cwd="/etc") == {}
    assert begun(guarded, source="compact") == {}
    request(guarded.places.socket, "receipts.resolve", {"id": row["id"], "answer": "failed"})
    assert begun(guarded) == {}
    (entry,) = guarded.entries("receipt")
    assert (entry.body["receipt"], entry.body["answer"], entry.actor) == (
        row["id"],
        "failed",
        entry.body["by"],
    )


@pytest.mark.req("U29")
def test_a_person_lets_the_call_in_flight_run_once_more(guarded: Home) -> None:
    """Two attempts, and after a success none."""
    guarded.call(mail("t1"))
    killed(guarded)
    (row,) = listed(guarded)
    request(guarded.places.socket, "receipts.resolve", {"id": row["id"], "answer": "retry"})
    votes = [decided(guarded.call(mail("t2")))[0]]
    guarded.call(mail("t2", "PostToolUse", tool_response={"id": "m1"}))
    votes.append(decided(guarded.call(mail("t3")))[0])

    assert votes == [None, "deny"]
    assert [row["attempt"] for row in listed(guarded)] == [2, 1]
    with pytest.raises(DaemonError, match="nothing to settle"):
        request(guarded.places.socket, "receipts.resolve", {"id": row["id"], "answer": "retry"})


@pytest.mark.req("U2")
def test_an_end_that_was_answered_is_on_the_disk(guarded: Home) -> None:
    """The receipt stands for the call after the daemon was killed."""
    guarded.call(mail("t1"))
    guarded.call(mail("t1", "PostToolUse", tool_response="sent as m-17", duration_ms=40))
    wait_for(lambda: listed(guarded)[0]["status"] == "succeeded", "the end is recorded")
    killed(guarded)
    vote, reason = decided(guarded.call(mail("t2")))

    assert vote == "deny"
    assert "Idempotent tool call detected." in reason
    assert "sent as m-17" in reason
    assert listed(guarded)[0]["duration_ms"] == 40


def test_of_many_identical_calls_at_once_one_is_allowed(guarded: Home) -> None:
    """However they arrive: each on its own connection, or all in one turn."""
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: guarded.call(mail(f"t{n}")), range(8)))
    votes = [decided(reply)[0] for reply in replies]
    peers = [guarded.connected() for _ in range(6)]
    other: Any = {"tool_input": {**MAIL, "to": "eve@example.org"}}
    for number, peer in enumerate(peers):
        peer.sendall(encode_call(Call(host="claude-code", payload=mail(f"u{number}", **other))))
    together = [decided(_answer(peer))[0] for peer in peers]

    assert sorted(map(str, votes)) == ["None", *["deny"] * 7]
    assert sorted(map(str, together)) == ["None", *["deny"] * 5]
    assert len(listed(guarded)) == 2


def _answer(peer: socket.socket) -> Any:
    with peer:
        data = b""
        while (reply := decode_answer(data)) is None:
            data += peer.recv(65_536)
        return reply


def test_a_call_that_another_hook_denies_leaves_no_record(place: Home) -> None:
    """Also when that hook is asked later, and takes its time."""
    program = place.folder / "slow"
    program.write_text('#!/bin/sh\nsleep 0.1\necho \'{"decision": "deny"}\'\n')
    program.chmod(0o700)
    slow = f"    - {{type: command, matcher: 'mcp__*', config: {{command: {program}}}}}\n"
    place.write_policy(POLICY.replace("REPEAT", "deny") + slow)
    place.start()
    reasons = [decided(place.call(mail(f"t{number}"))) for number in range(2)]

    assert [vote for vote, _ in reasons] == ["deny", "deny"]
    assert not any("Idempotent" in reason for _, reason in reasons)
    assert listed(place) == []


@pytest.mark.req("U26")
def test_what_cannot_be_prepared_does_not_run(guarded: Home) -> None:
    """The answer is a refusal, and the chain holds."""
    with closing(sqlite3.connect(guarded.places.database)) as other:
        other.execute("DROP TABLE tool_receipts")
        other.commit()
    vote, reason = decided(guarded.call(mail("t1")))

    assert vote == "deny"
    assert "cannot be recorded" in reason
    with closing(open_to_read(guarded.places.database)) as connection:
        assert connection.execute("SELECT count(*) FROM tool_calls").fetchone() == (0,)
    assert guarded.broken() is None


def test_a_table_is_read_again_when_it_changes_and_a_broken_one_keeps_the_last(place: Home) -> None:
    """Without a restart; mending it is noticed too. It is told once, whoever reads it beside the calls."""
    table = place.places.user_config / "mine.yaml"
    rule = "version: '1'\nrules: [{id: mine, namespace: gmail, tools: send_email, class: CLASS}]"
    place.write_policy(POLICY.replace("REPEAT", "deny") + "settings: {tool_policies: [mine.yaml]}\n")
    half = table.with_name("half")  # whole at any moment: the daemon may look at every one of them
    half.write_text(rule.replace("CLASS", "local"))
    half.replace(table)
    place.start()
    found = []
    for number, word in enumerate(["local", "memory", "nonsense", "external"]):
        half.write_text(rule.replace("CLASS", word))
        half.replace(table)
        place.call(mail(f"t{number}", tool_input={"to": str(number)}))
        found.append(listed(place)[0]["side_effect"])

    assert found == ["local", "memory", "memory", "external"]
    assert ["mine.yaml" in entry.body["reason"] for entry in place.entries("alarm")] == [True]


def test_an_agents_process_may_neither_see_nor_settle_calls(guarded: Home) -> None:
    """Every method is for people."""

    class Everybody(Agents):
        def standing(self, pid: int) -> Standing:
            return Standing(Kind.AGENT, "s1", "")

    with closing(open_database(guarded.folder / "other" / "interlock.db")) as connection:
        calls = RecordedCalls(connection, LedgerWriter(connection))
        methods = guarded_methods(
            calls.methods("human:ann", lambda: True), Everybody(guarded.folder / "a"), lambda *_: None
        )
        for name in ("receipts.list", "receipts.show", "receipts.resolve"):
            with pytest.raises(ValueError, match="belongs to an agent"):
                methods[name]({PEER: 1})


async def test_calls_that_ended_are_kept_as_long_as_the_ledger_keeps_its_entries(guarded: Home) -> None:
    """What has no end stays."""
    now = 10_000_000.0
    with closing(open_database(guarded.folder / "other" / "interlock.db")) as connection:
        ledger = LedgerWriter(connection)
        calls = RecordedCalls(connection, ledger, clock=lambda: now)
        for number in range(1_203):
            _record(calls, ledger, f"t{number}", ends=number > 0)
        now += 3_600
        _record(calls, ledger, "late", ends=True)
        pruner = RowPruner(connection, ledger, calls.table.forget, "old calls", lambda: now)
        watch = asyncio.create_task(pruner.watch(lambda: Retention(seconds=1_800.0), seconds=0.001))
        count = "SELECT count(*) FROM tool_calls"
        for _ in range(2_000):
            await asyncio.sleep(0.002)
            if connection.execute(count).fetchone()[0] == 2:
                break
        watch.cancel()

        left = connection.execute("SELECT use_id, status FROM tool_calls ORDER BY id").fetchall()
    assert left == [("t0", "prepared"), ("late", "succeeded")]


def _record(calls: RecordedCalls, ledger: LedgerWriter, use_id: str, *, ends: bool) -> None:
    hook = RecordToolUse(book=calls.book)
    for one in [send(use_id), *([sent(use_id)] if ends else [])]:
        hook.run(LocalCallView(one, PatternIndex(())), 1.0)
        calls.book.settle(one, ALLOW)
        ledger.append("decision", "a", "", {})
    ledger.flush()


def test_a_failed_call_elsewhere_is_listed_as_waiting(guarded: Home) -> None:
    """Until a person has looked."""
    guarded.call(mail("t1"))
    guarded.call(mail("t1", "PostToolUseFailure", error="connection reset"))
    wait_for(lambda: listed(guarded)[0]["status"] == "failed", "the end is recorded")
    found = request(guarded.places.socket, "receipts.list", {"unfinished": True})

    assert [row["waits"] for row in found["calls"]] == [True]
    assert [run["run"] for run in found["waiting"]] == [PROJECT]


FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"


@pytest.mark.req("U9")
@pytest.mark.parametrize("tool", ["Agent", "Bash", "Edit", "Read", "Skill", "Write", "mcp__rig__echo"])
def test_what_claude_code_reports_closes_what_it_reported_before(guarded: Home, tool: str) -> None:
    """As the real client wrote it."""
    for name in ("PreToolUse", "PostToolUse"):
        fields = json.loads((FIXTURES / f"{name}-{tool}.json").read_text())
        guarded.call(
            json.dumps({**fields, "cwd": PROJECT, "tool_use_id": "toolu_1", "session_id": "s"}).encode()
        )
    wait_for(lambda: listed(guarded)[0]["status"] == "succeeded", "the end is recorded")

    assert len(listed(guarded)) == 1
    assert listed(guarded)[0]["duration_ms"] is not None
