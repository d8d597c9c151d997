"""Every reply to every event is one the host takes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tests.builders import Says, hook
from tests.hosts.claude_code.recorded import (
    AT_THE_TERMINAL,
    HEADLESS,
    HOST,
    RECORDED,
    SCHEMA,
    flaws,
    recorded,
)

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Verdict, Vote, allow, ask, deny
from interlock.hosts.claude_code.capabilities import CAPABILITIES
from interlock.hosts.host import Reply


def modified(event: Event) -> Verdict:
    """Whatever can be changed, changed."""
    new_input = event.tool.input | {"command": "true"} if event.tool else None
    new_prompt = f"{event.prompt}!" if event.prompt else None
    return Verdict(updated_input=new_input, updated_prompt=new_prompt, updated_output={"stdout": "[cut]"})


POLICIES = {
    "denies": Says(deny("not here")),
    "asks": Says(ask("may it?")),
    "modifies": Says(modified, judges=False),
    "speaks": Says(Verdict(context="for the model", message="for the person"), judges=False),
    "grants": Says(allow("listed")),
}


def engine(policy: str) -> Engine:
    """An engine whose one hook is bound to every event; or one without hooks."""
    handler = POLICIES.get(policy)
    grants = policy == "grants"
    return Engine([hook(handler, events=tuple(EventName), auto_approve=grants)] if handler else [])


@pytest.mark.parametrize("env", [HEADLESS, AT_THE_TERMINAL], ids=["headless", "terminal"])
@pytest.mark.parametrize("policy", [*POLICIES, "empty"])
@pytest.mark.parametrize("name", RECORDED)
async def test_a_reply_to_a_recorded_event_fits(name: str, policy: str, env: dict[str, str]) -> None:
    """What is decided about a real payload, the real client can take."""
    fields = json.loads(recorded(name))
    if "permission_mode" in fields and env is AT_THE_TERMINAL:
        fields["permission_mode"] = "default"
    event = HOST.read(json.dumps(fields).encode(), env)

    reply = HOST.write(event, await engine(policy).decide(event))

    assert flaws(event.name, reply) == []
    assert (reply == Reply()) or policy != "empty"
    # Whatever a hook wanted is either sent or noted; only a change may find nothing to change.
    said = reply.stdout or reply.degraded or reply.exit_code
    assert said or policy in {"empty", "modifies", "grants"}


texts = st.text(min_size=1, max_size=20)
objects = st.dictionaries(st.text(max_size=5), st.none() | st.integers() | texts, max_size=3)
decisions = st.builds(
    Decision,
    vote=st.sampled_from(Vote),
    reason=st.none() | st.text(max_size=20) | st.just("r" * 30_000),
    updated_input=st.none() | objects,
    updated_prompt=st.none() | texts,
    updated_output=st.just(msgspec.UNSET) | st.none() | objects | texts | st.lists(texts, max_size=2),
    context=st.lists(texts, max_size=3).map(tuple),
    messages=st.lists(texts | st.just("m" * 30_000), max_size=3).map(tuple),
    auto_approve=st.booleans(),
)
events = st.builds(
    Event,
    name=st.sampled_from(list(CAPABILITIES)),
    host=st.just("claude-code"),
    tool=st.none() | st.just(ToolCall(name="Bash", input={"command": "ls"})),
    permission_mode=st.sampled_from([None, "default", "plan", "auto"]),
    extra=st.fixed_dictionaries(
        {},
        optional={
            "entrypoint": st.sampled_from(["cli", "sdk-py"]),
            "stop_hook_active": st.booleans(),
            "source": st.just("policy_settings"),
        },
    ),
)


@pytest.mark.deep
@given(events, decisions)
def test_no_decision_makes_a_reply_the_host_rejects(event: Event, decision: Decision) -> None:
    """Whatever is decided at whatever moment, the reply fits; a deny that can be carried out always is."""
    reply = HOST.write(event, decision)

    assert flaws(event.name, reply) == []
    assert reply.exit_code in {0, 2}
    if decision.denied:
        assert refused(reply) or f"a deny cannot stop {event.name}" in reply.degraded


def refused(reply: Reply) -> bool:
    """Whether the host would stop."""
    fields = json.loads(reply.stdout or b"{}")
    own = fields.get("hookSpecificOutput", {})
    forms = (own.get("permissionDecision"), own.get("decision", {}).get("behavior"), own.get("action"))
    return reply.exit_code == 2 or fields.get("decision") == "block" or bool({"deny", "decline"} & {*forms})


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "Stop", "permissionDecision": "allow"}}),
        ("PreToolUse", {"hookSpecificOutput": {"permissionDecision": "allow"}}),
        (
            "PreToolUse",
            {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "block"}},
        ),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": None}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse"}}),
        ("PreToolUse", {"decision": "block", "reason": "x"}),
        ("PreToolUse", {"systemMessage": None}),
        ("PreToolUse", {}),
        ("Stop", {"decision": "deny", "reason": "x"}),
        ("Stop", {"decision": "block"}),
        (
            "PermissionRequest",
            {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": "deny"}},
        ),
        ("PostToolUse", {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": None}}),
        ("PreCompact", {"systemMessage": "x"}),
        ("Notification", {"systemMessage": "x"}),
        ("SessionStart", {"systemMessage": "x" * 10_001}),
    ],
)
def test_the_schema_can_refuse(name: str, fields: dict[str, Any]) -> None:
    """Replies the host would drop, or take for something else, do not fit."""
    Draft202012Validator.check_schema(SCHEMA)

    assert flaws(name, Reply(stdout=json.dumps(fields).encode())) != []
