"""Laws of the way from a call to its answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import bash, event

from interlock.daemon.call_intake import PendingAnswer
from interlock.daemon.decision_service import DecisionService
from interlock.daemon.extension import Extensions
from interlock.daemon.policy_loader import Policies
from interlock.daemon.protocol import Call
from interlock.engine.session_memory import OnceInMemory
from interlock.events.hook import Layer
from interlock.features.approvals.requests import ApprovalStore
from interlock.features.approvals.service import AskSettlement
from interlock.features.approvals.tickets import Tickets
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.host import SELF_TEST_TOOL, Reply
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

DENY = """\
version: "2.0"
settings: {actors: {main: agent:executor, subagents: {Plan: agent:architect}}}
hooks:
  pre_tool_use:
    - {name: no-rm, type: deny, matcher: "Bash(rm *)", config: {reason: "never"}}
"""
SLOW = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {name: slow, type: command, matcher: "Bash", config: {command: "echo run >> FILE; sleep 0.2; exit 2"}}
"""
PROMPTS = """\
version: "2.0"
hooks:
  user_prompt_submit:
    - {name: prompts, type: command, config: {command: "exit 0"}}
"""


class DecisionSetup:
    """A decider under one policy."""

    def __init__(self, folder: Path, policy: str) -> None:
        (folder / "genesis.key").write_text(policy)
        self.connection = open_database(folder / "db" / "interlock.db")
        self.ledger = LedgerWriter(self.connection)
        self.policies = Policies(
            [(Layer.USER, folder)],
            tools=CLAUDE_CODE_TOOLS,
            once=OnceInMemory(),
            environ={"PATH": "/usr/bin:/bin"},
            alarm=lambda *_: None,
        )
        extensions = Extensions()
        extensions.add(AskSettlement(Tickets(ApprovalStore(self.connection, self.ledger))))
        self.decider = DecisionService(self.policies, self.ledger, extensions=extensions)

    def now(self, payload: bytes, host: str = "claude-code", **env: str) -> PendingAnswer:
        """Decide a call that needs no waiting."""
        found = self.decider.receive(Call(host=host, payload=payload, env=env))
        assert isinstance(found, PendingAnswer)
        return found

    async def wait(self, payload: bytes, **env: str) -> PendingAnswer:
        """Decide any call."""
        found = self.decider.receive(Call(host="claude-code", payload=payload, env=env))
        return found if isinstance(found, PendingAnswer) else await found

    def recorded(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Kind, actor and content of what was appended since last asked."""
        return [(entry.op, entry.actor, entry.body) for entry in self.ledger.flush()]


Make = Callable[[str], DecisionSetup]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """A way to set up a decider."""
    made: list[DecisionSetup] = []

    def build(policy: str) -> DecisionSetup:
        made.append(DecisionSetup(tmp_path, policy))
        return made[-1]

    yield build
    for setup in made:
        setup.connection.close()


def said(reply: Reply) -> str | None:
    """The permission decision sent."""
    return json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecision"] if reply.stdout else None


def test_a_decision_and_its_entry_are_one(make: Make) -> None:
    """The answer and the record say the same, with who, what and under which policy."""
    setup = make(DENY)
    denied = setup.now(bash("rm x", tool_use_id="t1"))
    allowed = setup.now(bash("ls", tool_use_id="t2"))
    entries = setup.recorded()

    assert (said(denied.reply), said(allowed.reply)) == ("deny", None)
    assert [(op, actor, body["decision"]) for op, actor, body in entries] == [
        ("decision", "agent:executor", "deny"),
        ("decision", "agent:executor", "allow"),
    ]
    assert entries[0][2]["decided_by"] == "no-rm"
    assert entries[0][2]["revision"]


def test_only_judged_events_wait_for_the_disk(make: Make) -> None:
    """What is only observed is answered before it is recorded."""
    setup = make(DENY)

    assert setup.now(bash("ls")).durable
    assert setup.now(event("Stop")).durable
    assert not setup.now(event("PostToolUse", tool_name="Bash", tool_input={})).durable
    assert not setup.now(event("Notification")).durable
    assert not setup.now(event("SomethingNew")).durable


def test_twice_the_same_is_decided_and_recorded_once(make: Make) -> None:
    """A second report of one use of a tool gets the first answer; other ids, sessions and events do not."""
    setup = make(DENY)
    first = setup.now(bash("rm x", tool_use_id="t1"))
    second = setup.now(bash("rm x", tool_use_id="t1"))
    count = len(setup.recorded())
    others = [
        bash("rm x", tool_use_id="t2"),
        bash("rm x", tool_use_id="t1", session_id="other"),
        event("PostToolUse", tool_name="Bash", tool_input={"command": "rm x"}, tool_use_id="t1"),
        bash("rm x"),
        bash("rm x"),
    ]
    for payload in others:
        setup.now(payload)

    assert first.reply == second.reply
    assert count == 1
    assert second.summary == {}
    assert len(setup.recorded()) == len(others)


@pytest.mark.deep
async def test_twice_the_same_at_once_runs_the_hook_once(make: Make, tmp_path: Path) -> None:
    """Two installations report at the same time: the second waits for the first one's answer."""
    ran = tmp_path / "ran"
    setup = make(SLOW.replace("FILE", str(ran)))
    payload = bash("ls", tool_use_id="t1")

    one, two = await asyncio.gather(setup.wait(payload), setup.wait(payload))
    three = await setup.wait(payload)

    assert one.reply == two.reply == three.reply
    assert said(one.reply) == "deny"
    assert ran.read_text() == "run\n"
    assert len(setup.recorded()) == 1


def test_an_id_used_again_for_another_call_brings_no_earlier_answer(make: Make) -> None:
    """The answer to a harmless call is not the answer to a harmful one under its id."""
    setup = make(DENY)
    allowed = setup.now(bash("ls", tool_use_id="t1"))
    denied = setup.now(bash("rm x", tool_use_id="t1"))

    assert b"deny" not in allowed.reply.stdout
    assert b"deny" in denied.reply.stdout
    assert len(setup.recorded()) == 2


def test_what_was_not_recorded_is_decided_again(make: Make) -> None:
    """A forgotten decision is no longer the answer to the same call."""
    setup = make(DENY)
    setup.decider.forget(setup.now(bash("ls", tool_use_id="t1")))
    setup.now(bash("ls", tool_use_id="t1"))

    assert len(setup.recorded()) == 2


@pytest.mark.deep
def test_remembering_holds_no_inputs(make: Make) -> None:
    """What is kept to recognise a second report is bounded, however large inputs are."""
    setup = make(DENY)
    for number in range(5_000):
        setup.now(bash("ls", tool_use_id=f"t{number}"))
        setup.ledger.flush()

    made = setup.decider._answered._made
    assert len(made) == 4_096
    assert not any(known.summary for known in made.values())


@pytest.mark.req("Z08")
def test_nobody_becomes_another_by_saying_so(make: Make) -> None:
    """A payload's claim is recorded; the environment chooses only among names the policy lists."""
    setup = make(DENY)
    for env in ({}, {"INTERLOCK_ACTOR": "human:alice"}, {"INTERLOCK_ACTOR": "agent:architect"}):
        setup.now(bash("ls", actor="human:alice", parent_actor="human:bob"), **env)
    entries = setup.recorded()

    assert [actor for _, actor, _ in entries] == ["agent:executor", "agent:executor", "agent:architect"]
    assert entries[0][2]["extra"] == {"actor": "human:alice", "parent_actor": "human:bob"}
    assert entries[1][2]["extra"]["claimed_actor"] == "human:alice"


@pytest.mark.req("F01")
def test_a_broken_policy_at_the_start_denies_tool_calls_and_names_the_file(make: Make) -> None:
    """Nothing that acts passes; what only ends or tells does, and leaves a gap entry."""
    setup = make("version: 2.0\n")
    denied, passed = setup.now(bash("ls")), setup.now(event("Stop"))
    entries = setup.recorded()

    assert said(denied.reply) == "deny"
    assert b"genesis.key:1" in denied.reply.stdout
    assert passed.reply == Reply()
    assert [(op, body["decision"]) for op, _, body in entries] == [("refused", "deny"), ("gap", "allow")]
    assert setup.decider.open_passes == 1


@pytest.mark.deep
@pytest.mark.req("F04")
@pytest.mark.parametrize(("policy", "closed"), [(PROMPTS, True), (DENY, False)])
async def test_a_prompt_is_held_back_only_where_a_hook_judges_prompts(
    make: Make, policy: str, closed: bool
) -> None:
    """What cannot be recorded is refused if somebody wanted to judge it, else it passes."""
    setup = make(policy)
    judgement = await setup.wait(event("UserPromptSubmit", prompt="hello"))

    assert (judgement.refusal("the disk is full") != Reply()) is closed


@pytest.mark.req("F01")
def test_a_defect_in_between_is_a_refusal(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever raises on the way, a tool call is denied and the refusal recorded; no traceback leaves."""
    setup = make(DENY)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("half of it")

    monkeypatch.setattr(setup.policies, "for_folder", broken)
    reply = setup.now(bash("ls")).reply

    assert said(reply) == "deny"
    assert b"Traceback" not in reply.stdout
    assert [(op, body["kind"]) for op, _, body in setup.recorded()] == [("refused", "defect")]


def test_the_self_test_is_denied(make: Make) -> None:
    """A tool no agent has is refused under any policy, so that an installation can be tried."""
    setup = make(DENY)
    answer = setup.now(event(tool_name=SELF_TEST_TOOL, tool_input={}))

    assert said(answer.reply) == "deny"


def test_an_unknown_host_is_refused(make: Make) -> None:
    """A shim installed for an agent nobody knows stops that agent's calls and says why."""
    setup = make(DENY)
    reply = setup.now(b"{}", host="nobody").reply

    assert reply.exit_code == 2
    assert b"`nobody`" in reply.stderr
    assert [op for op, _, _ in setup.recorded()] == ["refused"]


@pytest.mark.req("D09")
def test_an_unreadable_payload_is_recorded_by_its_digest(make: Make) -> None:
    """The entry says of which kind it is, how long and with which digest, not what it said."""
    setup = make(DENY)
    reply = setup.now(b'{"hook_event_name":').reply
    ((op, _, body),) = setup.recorded()

    assert said(reply) == "deny"
    assert (op, body["kind"], body["bytes"]) == ("refused", "truncated", 19)
    assert len(body["sha256"]) == 64


def test_a_prompt_that_cannot_be_read_is_held_back_where_prompts_are_judged(make: Make) -> None:
    """Without such a hook an unreadable prompt passes and is counted as a gap."""
    broken = b'{"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": 7}'
    held = make(PROMPTS).now(broken)
    plain = make(DENY)

    assert b"block" in held.reply.stdout
    assert plain.now(broken).reply.stdout == b""
    assert plain.decider.open_passes == 1


def test_calls_of_one_turn_are_recorded_in_the_order_they_came(make: Make) -> None:
    """Decided, refused, unreadable and from a stranger: each has its entry where it stood."""
    setup = make(DENY)
    calls = [
        Call(host="claude-code", payload=bash("ls", tool_use_id="t1")),
        Call(host="claude-code", payload=b"{"),
        Call(host="claude-code", payload=event("PreToolUse", tool_name=SELF_TEST_TOOL, tool_input={})),
        Call(host="stranger", payload=b"{}"),
        Call(host="claude-code", payload=bash("rm x", tool_use_id="t2")),
    ]

    answers = [setup.decider.receive(call) for call in calls]

    assert all(isinstance(answer, PendingAnswer) for answer in answers)
    assert setup.decider.events == len(calls)
    assert [(op, body["decision"]) for op, _, body in setup.recorded()] == [
        ("decision", "allow"),
        ("refused", "deny"),
        ("refused", "deny"),
        ("refused", "deny"),
        ("decision", "deny"),
    ]


def test_twice_the_same_within_one_turn_is_decided_and_recorded_once(make: Make) -> None:
    """Two reports that arrive together are one call; what stands between and after them is not touched."""
    setup = make(DENY)
    payloads = [bash("rm x", tool_use_id="t1"), bash("ls", tool_use_id="t2")] * 2 + [bash("ls"), bash("ls")]

    answers = [setup.decider.receive(Call(host="claude-code", payload=payload)) for payload in payloads]
    replies = [answer.reply for answer in answers if isinstance(answer, PendingAnswer)]

    assert [said(reply) for reply in replies] == ["deny", None, "deny", None, None, None]
    assert [body.get("tool_use_id") for _, _, body in setup.recorded()] == ["t1", "t2", None, None]


@pytest.mark.deep
async def test_a_call_that_has_to_wait_holds_no_other_of_its_turn_up(make: Make, tmp_path: Path) -> None:
    """Its answer is awaited, the others are there; reported twice in one turn its hook runs once."""
    setup = make(SLOW.replace("FILE", str(tmp_path / "runs")))
    slow = bash("ls", tool_use_id="t1")
    payloads = [slow, event("PostToolUse", tool_name="Bash", tool_input={}), slow]

    first, other, second = (
        setup.decider.receive(Call(host="claude-code", payload=payload)) for payload in payloads
    )

    assert isinstance(other, PendingAnswer)
    assert not isinstance(first, PendingAnswer)
    assert not isinstance(second, PendingAnswer)
    assert said((await first).reply) == said((await second).reply) == "deny"
    assert (tmp_path / "runs").read_text() == "run\n"
