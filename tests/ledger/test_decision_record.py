"""Laws of what the ledger keeps of a decision."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.hook import PACK_SOURCE
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Outcome, Vote
from interlock.ledger.decision_record import DecisionRecord, TraceRecord, body_of

CALL = ToolCall(name="Write", input={"content": "x" * 100_000}, use_id="t1")
ROW = TraceRow(hook="h", type="deny", matcher="*", source="f:1", vote=Vote.DENY, outcome=Outcome.BLOCKING)


def test_an_input_is_kept_whole_and_empty_fields_are_left_out() -> None:
    """What was asked is there to the last byte; what was not said takes no room."""
    decision = Decision(vote=Vote.DENY, reason="no", revision="r1", trace=(ROW,))

    body = body_of(Event(name="PreToolUse", session_id="s", tool=CALL), decision, seconds=0.0015)
    written = json.loads(msgspec.json.encode(body))

    assert written == {
        "event": "PreToolUse",
        "host": "python",
        "session_id": "s",
        "cwd": "",
        "decision": "deny",
        "reason": "no",
        "revision": "r1",
        "duration_ms": 1.5,
        "tool": "Write",
        "tool_input": CALL.input,
        "tool_use_id": "t1",
        "trace": [
            {
                "hook": "h",
                "type": "deny",
                "matcher": "*",
                "source": "f:1",
                "vote": "deny",
                "outcome": "blocking",
                "duration_ms": 0.0,
            }
        ],
    }


def test_a_record_is_written_in_the_order_of_its_names() -> None:
    """Members are declared in the order they are written, so that writing needs no sorting."""
    for record in (DecisionRecord, TraceRecord):
        assert list(record.__struct_fields__) == sorted(record.__struct_fields__)


def test_a_hook_that_was_not_asked_leaves_its_name_only() -> None:
    """Rows of hooks that ran are whole, in their order; the others are a list of names."""
    skipped = msgspec.structs.replace(ROW, hook="quiet", vote=Vote.ABSTAIN, outcome=Outcome.SKIPPED)
    decision = Decision(vote=Vote.DENY, trace=(skipped, ROW, skipped))

    body = body_of(Event(name="PreToolUse"), decision, seconds=0)

    assert ([row.hook for row in body.trace], body.skipped) == (["h"], ["quiet", "quiet"])


def test_each_record_names_its_own_hooks_also_when_others_are_remembered() -> None:
    """As many hooks of the same revision, and of a pack, may be others than those of the call before."""

    def row(name: str, source: str = "f:1") -> TraceRow:
        return TraceRow(
            hook=name, type="deny", matcher="*", source=source, vote=Vote.ABSTAIN, outcome=Outcome.SKIPPED
        )

    def skipped(*rows: TraceRow, revision: str = "r1") -> list[str]:
        decision = Decision(vote=Vote.ALLOW, trace=rows, revision=revision)
        return body_of(Event(name="PreToolUse"), decision, seconds=0.0).skipped

    pack = [row(f"some/{number}", f"{PACK_SOURCE}some:{number}") for number in range(3)]
    for _ in range(2):
        for name in ("one", "two"):
            assert skipped(row(name), *pack) == [name, "3 rules of some"]
            assert skipped(row(name), row("three"), *pack[1:]) == [name, "three", "2 rules of some"]
            assert skipped(row(name), *pack, revision="r2") == [name, "3 rules of some"]
        assert [skipped(row(str(number)), revision=f"r{number}") for number in range(99)] == [
            [str(number)] for number in range(99)
        ]


@given(st.lists(st.lists(st.sampled_from("AQRQQ"), max_size=5), max_size=6))
def test_a_record_tells_of_its_own_call_whatever_the_ones_before_were_like(calls: list[list[str]]) -> None:
    """Hooks that are asked at one call and passed over at the next are written as they were each time."""
    quiet = [
        msgspec.structs.replace(ROW, hook=f"q{place}", vote=Vote.ABSTAIN, outcome=Outcome.SKIPPED)
        for place in range(5)
    ]
    for call in calls:
        # A: asked, in a row of its own; Q: passed over; R: passed over too, in a row of its own.
        rows = [
            quiet[place] if kind == "Q" else msgspec.structs.replace(ROW if kind == "A" else quiet[place])
            for place, kind in enumerate(call)
        ]
        body = body_of(Event(name="PreToolUse"), Decision(vote=Vote.DENY, trace=tuple(rows)), seconds=0)

        assert len(body.trace) == call.count("A")
        assert body.skipped == [f"q{place}" for place, kind in enumerate(call) if kind != "A"]


@pytest.mark.parametrize("name", [EventName.STOP, "SomethingNew"])
def test_the_columns_of_a_record_are_plain_texts(name: str) -> None:
    """What an entry is searched by is a text and no kind of text, and the same as in the record."""
    body = body_of(Event(name=name, session_id="s", tool=CALL), Decision(vote=Vote.ASK), seconds=0)

    assert body.columns == ("s", str(name), "Write", "ask")
    assert {type(column) for column in body.columns} == {str}


def test_an_output_keeps_its_head_tail_and_digest() -> None:
    """A long output is 16 KB of itself and what proves the rest; a short one is itself."""
    long = {"stdout": "a" * 50_000 + "z" * 50_000}
    encoded = json.dumps(long, separators=(",", ":")).encode()

    event = Event(name="PostToolUse", tool=CALL, tool_output=long)
    kept = body_of(event, Decision(vote=Vote.ABSTAIN), seconds=0).tool_output
    short = body_of(Event(name="PostToolUse", tool_output={"a": [1]}), Decision(vote=Vote.ABSTAIN), seconds=0)

    assert kept["head"] == encoded[:8192].decode()
    assert kept["tail"] == encoded[-8192:].decode()
    assert (kept["bytes"], kept["sha256"]) == (len(encoded), hashlib.sha256(encoded).hexdigest())
    assert short.tool_output == {"a": [1]}


@pytest.mark.req("Z08")
def test_what_a_payload_claims_is_kept_beside_who_it_was() -> None:
    """A claim is in the record, under fields nobody judges by."""
    event = Event(name="PreToolUse", tool=CALL, extra={"actor": "human:alice"})

    assert body_of(event, Decision(vote=Vote.ALLOW), seconds=0).extra == {"actor": "human:alice"}
