"""Requests about the fifteen events: the common fields, either spelling, one sentence when they are wrong."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from tests.features.work.hooked import FIXTURES, OWN, UUID, Hooked, recorded

from interlock.events.event import Event
from interlock.events.verdict import NO_OPINION, Vote
from interlock.features.work.records import RefusedError
from interlock.features.work.requests import COMMON as COMMON_FIELDS
from interlock.features.work.requests import REQUESTS, is_optional, read_request, snake_keys
from interlock.hosts.claude_code.read import read_event

COMMON = {
    "session_id": UUID,
    "transcript_path": "/t.jsonl",
    "cwd": "/project",
    "permission_mode": "default",
}
CAMEL = {
    "sessionId": UUID,
    "transcriptPath": "/t.jsonl",
    "cwd": "/project",
    "permissionMode": "default",
}


def given(event: str, **more: Any) -> dict[str, Any]:
    """An input in the spelling of the wire."""
    return {**COMMON, "hook_event_name": event, **OWN[event], **more}


def camel(name: str) -> str:
    """The other spelling of a field."""
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


@pytest.mark.req("E13", "E15")
@pytest.mark.parametrize("event", list(OWN))
def test_all_events_carry_the_common_fields_in_either_spelling(event: str) -> None:
    """Fifteen events; snake_case on the wire and camelCase give one input, with the event's own fields."""
    wire = given(event)
    other = {camel(name): value for name, value in wire.items()}
    assert set(CAMEL) < set(other)

    read = read_request(event, wire, {})

    assert read == read_request(event, other, {})
    common = (read.session_id, read.transcript_path, read.cwd, read.permission_mode, read.name)
    assert common == (UUID, "/t.jsonl", "/project", "default", event)
    for name, value in OWN[event].items():
        assert field(read, name) == value


def field(event: Event, name: str) -> Any:
    """Where an event keeps a field of the wire."""
    tool = event.tool
    named = {"tool_name": tool.name, "tool_input": tool.input, "tool_use_id": tool.use_id} if tool else {}
    named["tool_response"] = event.tool_output
    return {**event.extra, **msgspec.structs.asdict(event), **named}[name]


def test_there_are_fifteen() -> None:
    """No more, no fewer."""
    assert set(REQUESTS) == set(OWN)
    assert len(REQUESTS) == 15


@pytest.mark.req("E14")
def test_the_session_is_the_hosts_own_name_for_it() -> None:
    """A text such as a UUID; a number of ours is refused."""
    assert read_request("Stop", given("Stop"), {}).session_id == UUID
    with pytest.raises(RefusedError, match="the field `session_id` is of type `int` and not a string"):
        read_request("Stop", given("Stop", session_id=7), {})


@pytest.mark.req("E76")
def test_keys_inside_a_tools_input_stay_as_they_are() -> None:
    """Only the top level is respelt: what is inside belongs to the tool."""
    inside = {"filePath": "/a", "old_string": {"newKey": 1, "other_key": 2}}
    read = read_request(
        "PreToolUse",
        {**CAMEL, "hookEventName": "PreToolUse", "toolName": "Edit", "toolInput": inside, "toolUseId": "t"},
        {},
    )
    assert read.tool is not None
    assert read.tool.input == inside


@pytest.mark.req("X23")
def test_permission_mode_may_be_missing() -> None:
    """The real client does not send it when a session starts."""
    read = read_request("SessionStart", recorded("SessionStart-startup"), {})
    assert read.permission_mode is None


@pytest.mark.req("E15")
@pytest.mark.parametrize("event", list(OWN))
def test_a_missing_field_is_named_in_one_sentence(event: str) -> None:
    """Every field an event cannot do without, common or its own."""
    needed = [field for field in (*COMMON, "hook_event_name", *OWN[event]) if _required(event, field)]
    assert {"session_id", "transcript_path", "cwd", "hook_event_name"} <= set(needed)
    for name in needed:
        wire = given(event)
        del wire[name]
        with pytest.raises(RefusedError) as caught:
            read_request(event, wire, {})
        assert str(caught.value) == (
            f"VALIDATION_ERROR: the field `{name}` is missing; send the event as the host sent it"
        )


def _required(event: str, field: str) -> bool:
    return not is_optional({**COMMON_FIELDS, **REQUESTS[event].takes}[field])


@pytest.mark.parametrize(
    ("event", "field", "value", "said"),
    [
        ("PreToolUse", "tool_input", "ls", "the field `tool_input` is a string and not an object"),
        ("PreToolUse", "tool_input", [1], "the field `tool_input` is a list and not an object"),
        ("Stop", "stop_hook_active", "no", "the field `stop_hook_active` is a string and not true or false"),
        ("UserPromptSubmit", "prompt", None, "the field `prompt` is of type `null` and not a string"),
    ],
)
def test_a_wrong_type_is_said_in_peoples_words(event: str, field: str, value: Any, said: str) -> None:
    """Which field, what it is and what it should be."""
    with pytest.raises(RefusedError, match=said):
        read_request(event, given(event, **{field: value}), {})


def test_an_event_sent_to_another_ones_method_is_refused() -> None:
    """The name an event carries counts, in any of its spellings."""
    with pytest.raises(RefusedError, match="`hook_event_name` is `Stop` and not `SessionEnd`"):
        read_request("SessionEnd", {**given("SessionEnd"), "hook_event_name": "Stop"}, {})
    assert read_request("Stop", given("Stop", hook_event_name="stop"), {}).name == "Stop"


def test_a_field_in_both_spellings_is_refused() -> None:
    """Nobody could say which of them counts."""
    with pytest.raises(RefusedError, match="`session_id` is there twice, also as `sessionId`"):
        snake_keys({"session_id": "a", "sessionId": "b"})


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("*.json")), ids=lambda file: file.stem)
def test_a_recorded_payload_is_the_same_event_over_either_door(file: Any, hooked: Hooked) -> None:
    """What the real client sends is a request as it is."""
    payload = file.read_bytes()
    event = read_event(payload, {})
    name = json.loads(payload)["hook_event_name"]
    if name not in REQUESTS:
        assert name == "StopFailure" or hooked.seen(event) == NO_OPINION
        return
    asked = read_request(name, json.loads(payload), {})
    for key in {**COMMON_FIELDS, **REQUESTS[name].takes}:
        if key != "hook_event_name" and key in json.loads(payload):
            assert field(asked, key) == field(event, key)


def test_what_a_host_leaves_out_is_empty_and_stops_nobody(hooked: Hooked) -> None:
    """The hook's door is lenient where a request's is strict."""
    for name in OWN:
        bare = Event(name, session_id=UUID, host="claude-code", extra={"source": 7, "stop_hook_active": "?"})
        assert hooked.seen(bare).vote is Vote.ABSTAIN
