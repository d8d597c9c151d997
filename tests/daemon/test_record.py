"""Laws of what the ledger keeps of a decision."""

from __future__ import annotations

import hashlib
import json

import pytest

from interlock.daemon.record import body_of
from interlock.decision import Decision, TraceRow
from interlock.event import Event
from interlock.tool import ToolCall
from interlock.verdict import Outcome, Vote

CALL = ToolCall(name="Write", input={"content": "x" * 100_000}, use_id="t1")
ROW = TraceRow(hook="h", type="deny", matcher="*", source="f:1", vote=Vote.DENY, outcome=Outcome.BLOCKING)


def test_an_input_is_kept_whole_and_empty_fields_are_left_out() -> None:
    """What was asked is there to the last byte; what was not said takes no room."""
    decision = Decision(vote=Vote.DENY, reason="no", revision="r1", trace=(ROW,))

    body = body_of(Event(name="PreToolUse", session_id="s", tool=CALL), decision, seconds=0.0015)

    assert body["tool_input"] == CALL.input
    assert (body["decision"], body["reason"], body["revision"]) == ("deny", "no", "r1")
    assert body["duration_ms"] == 1.5
    assert body["trace"][0]["vote"] == "deny"
    assert not {"error", "prompt", "extra", "context", "degraded", "updated_input"} & set(body)


def test_an_output_keeps_its_head_tail_and_digest() -> None:
    """A long output is 16 KB of itself and what proves the rest; a short one is itself."""
    long = {"stdout": "a" * 50_000 + "z" * 50_000}
    encoded = json.dumps(long, separators=(",", ":")).encode()

    event = Event(name="PostToolUse", tool=CALL, tool_output=long)
    kept = body_of(event, Decision(vote=Vote.ABSTAIN), seconds=0)["tool_output"]
    short = body_of(Event(name="PostToolUse", tool_output={"a": [1]}), Decision(vote=Vote.ABSTAIN), seconds=0)

    assert kept["head"] == encoded[:8192].decode()
    assert kept["tail"] == encoded[-8192:].decode()
    assert (kept["bytes"], kept["sha256"]) == (len(encoded), hashlib.sha256(encoded).hexdigest())
    assert short["tool_output"] == {"a": [1]}


@pytest.mark.req("Z08")
def test_what_a_payload_claims_is_kept_beside_who_it_was() -> None:
    """A claim is in the record, under fields nobody judges by."""
    event = Event(name="PreToolUse", tool=CALL, extra={"actor": "human:alice"})

    assert body_of(event, Decision(vote=Vote.ALLOW), seconds=0)["extra"] == {"actor": "human:alice"}
