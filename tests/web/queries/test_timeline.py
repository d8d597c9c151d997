"""Laws of timelines and differences."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.web.pages.calls import after, before, hook

from interlock.ledger.entry import Entry
from interlock.web.queries.differences import differences, lines_of
from interlock.web.queries.timeline import Kind, moments, text_of

INPUTS = st.dictionaries(st.sampled_from("abc"), st.text("xy\n -+@", max_size=12) | st.integers(), max_size=3)


def entry(seq: int, body: dict[str, Any], op: str = "decision") -> Entry:
    """An entry with that body."""
    return Entry(
        seq=seq,
        id=f"op_{seq}",
        op=op,
        ts="2026-01-01T00:00:00.000Z",
        actor="agent:main",
        workspace="/w",
        session_id="s",
        event=body.get("event"),
        tool=body.get("tool"),
        decision=body.get("decision"),
        payload=msgspec.json.encode({"body": body}),
        prev_hash=b"",
        hash=b"",
    )


def test_an_end_goes_to_the_call_with_its_id() -> None:
    """Two calls at once keep their own ends, in whichever order those come."""
    calls = [
        entry(1, {**before("one"), "tool_use_id": "a"}),
        entry(2, {**before("two"), "tool_use_id": "b"}),
        entry(3, {**after(), "tool_use_id": "b"}),
        entry(4, {**after(), "tool_use_id": "a", "event": "PostToolUseFailure"}),
    ]
    found = moments(calls)

    assert [(item.seq, item.end, item.end_seq) for item in found] == [(1, "failed", 4), (2, "succeeded", 3)]


def test_an_end_without_its_beginning_stands_for_itself() -> None:
    """The beginning is on an older page; nothing is left out for that."""
    (found,) = moments([entry(7, after())])

    assert (found.kind, found.end, found.end_seq) == (Kind.CALL, "succeeded", 7)


def test_what_the_host_asks_its_user_is_of_the_call_it_asks_about() -> None:
    """It names no call: the one with its input, or the only one of that tool that has not ended."""
    asking = {"event": "PermissionRequest", "tool": "Bash", "decision": "allow"}
    found = moments(
        [
            entry(1, {**before("one"), "tool_use_id": "a"}),
            entry(2, {**before("two"), "tool_use_id": "b"}),
            entry(3, {**asking, "tool_input": {"command": "two"}}),
            entry(4, {**asking, "tool_input": {"command": "three"}}),
            entry(5, {**after(), "tool_use_id": "b"}),
            entry(6, {**asking, "tool_input": {"command": "changed"}, "decision": "deny", "reason": "no"}),
        ]
    )

    assert [(item.seq, [one.seq for one in item.later]) for item in found] == [(1, [6]), (2, [3, 5]), (4, [])]
    assert [(item.decision, item.reason) for item in found[:2]] == [("deny", "no"), ("allow", None)]


def test_a_request_is_of_the_call_that_asked() -> None:
    """Asked for right before the decision, and used so; what a person says stands for itself."""
    request = {"approval": "ap_1", "state": "requested"}
    found = moments(
        [
            entry(1, request, "approval"),
            entry(2, before("push", "deny", approval="ap_1", reason="x: `interlock approve ap_1`")),
            entry(3, {**request, "state": "approved", "by": "human:ada"}, "approval"),
            entry(4, {**request, "state": "used"}, "approval"),
            entry(5, {**before("push", approval="ap_1"), "tool_use_id": "toolu_2"}),
        ]
    )

    assert [(item.seq, item.approval_seq) for item in found] == [(2, 1), (3, None), (5, 4)]


def test_evidence_is_of_the_hook_that_captured_it() -> None:
    """It stands right behind the decision; what anybody else recorded does not."""
    kept = {"event": "PostToolUse", "tool": "Bash", "tool_use_id": "toolu_1", "hook": "proof", "kind": "k"}
    found = moments(
        [
            entry(1, before("make")),
            entry(2, {**after(), "trace": [hook("proof")]}),
            entry(3, kept, "evidence"),
            entry(4, {**kept, "tool_use_id": "toolu_9"}, "evidence"),
        ]
    )

    assert [item.seq for item in found] == [1, 4]
    assert [[kept.seq for kept in one.evidence] for one in found[0].later[0].fired] == [[3]]


@pytest.mark.parametrize(
    ("tool", "given", "shown"),
    [
        ("Write", {"content": "def total():", "file_path": "/w/total.py"}, "/w/total.py"),
        ("WebFetch", {"prompt": "read it", "url": "https://example.com"}, "https://example.com"),
        ("Bash", {"command": "cat <<E\n1\nE"}, "cat <<E 1 E"),
        ("mcp__issues__create", {"title": "x"}, '{"title":"x"}'),
        ("Bash", {}, ""),
    ],
)
def test_a_call_is_its_main_argument(tool: str, given: dict[str, Any], shown: str) -> None:
    """On one line; every argument of a tool nobody knows."""
    assert text_of({"tool": tool, "tool_input": given}) == shown


def test_moments_nobody_knows_are_shown_all_the_same() -> None:
    """Events of hosts to come, and entries that are not decision."""
    found = moments([entry(1, {"event": "Someday"}), entry(2, {"kind": "file_change"}, "evidence")])

    assert [(item.kind, item.title) for item in found] == [
        (Kind.OTHER, "Someday"),
        (Kind.OTHER, "evidence: file_change"),
    ]


@given(INPUTS, INPUTS)
def test_a_difference_holds_what_went_and_what_came(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Without what went and with what came, the old lines are the new ones; equal ones differ in nothing."""
    found = differences(old, new)
    gone = Counter(line.text for line in found if line.kind == "removed")
    come = Counter(line.text for line in found if line.kind == "added")

    assert bool(found) == (lines_of(old) != lines_of(new))
    assert Counter(lines_of(old)) - gone + come == Counter(lines_of(new))


def test_an_input_too_long_to_compare_is_shown_as_it_was_and_as_it_is() -> None:
    """Comparing takes the square of the lines."""
    found = differences({"content": "a\n" * 2_000}, {"content": "b\n" * 2_000})

    assert len(found) == 2_000
    assert {line.kind for line in found} == {"removed", "added"}
