"""A call that lacks what its tool needs is denied with the way on, or put right without loss."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.builtin_hooks.schemas.shapes import UNIVERSAL_AGENT
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

MAIL = {
    "required": ["subject", "body"],
    "required_any": [["to"], ["first_name", "last_name"]],
    "min_length": {"body": 10},
    "example": {"to": "a@example.org", "subject": "Report", "body": "The whole text."},
}
TAGS = {
    "type": "object",
    "required": ["id", "tags"],
    "properties": {
        "id": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "draft": {"type": "boolean"},
        "share": {"type": "number"},
        "more": {"type": "object"},
        "note": {"type": "string"},
    },
}
GOOD = {"to": "b@example.org", "subject": "x", "body": "long enough"}


def guard(tools: dict[str, Any] | None = None, **options: Any) -> Engine:
    return made("schema_guard", "pre_tool_use", {"tools": tools or {"send_email": MAIL}, **options})


def call(engine: Engine, name: str, given: dict[str, Any], event: str = "PreToolUse") -> Decision:
    tool = ToolCall(name=name, input=given)
    return engine.decide_sync(Event(name=event, session_id="s", cwd="/", tool=tool))


def lacks(decision: Decision) -> str:
    """The list of what is missing."""
    text = (decision.reason or "").partition("Missing required fields: ")[2]
    return text.partition(". ")[0]


@pytest.mark.req("U6")
def test_a_call_that_fits_proceeds() -> None:
    """Nothing is said, and nothing is allowed either: others still judge."""
    decision = call(guard(), "send_email", GOOD)

    assert (decision.vote, decision.context, decision.messages) == (Vote.ABSTAIN, (), ())


@pytest.mark.req("U2", "U6", "U13", "U17")
def test_a_call_that_lacks_fields_is_denied_with_what_is_missing_and_an_example() -> None:
    """All of it at once, in words the agent can act on."""
    decision = call(guard(), "send_email", {"subject": " ", "body": "short"})

    assert decision.vote is Vote.DENY
    assert decision.reason == (
        "Tool schema validation failed. Invalid send_email call. Missing required fields: subject, "
        "one_of:to|first_name+last_name, body_too_short(min:10). "
        'Example: {"to":"a@example.org","subject":"Report","body":"The whole text."}'
    )


@pytest.mark.req("U14")
@pytest.mark.parametrize("empty", [None, "", "  \n", [], {}])
def test_an_empty_value_is_a_missing_one(empty: object) -> None:
    """Whatever kind of nothing it is."""
    assert lacks(call(guard(), "send_email", {**GOOD, "subject": empty})) == "subject"


@pytest.mark.req("U14")
@pytest.mark.parametrize("said", [0, False, "x", [0]])
def test_a_number_and_a_no_say_something(said: object) -> None:
    """Only nothing is nothing."""
    assert call(guard(), "send_email", {**GOOD, "subject": said}).vote is Vote.ABSTAIN


@pytest.mark.req("U14")
def test_one_group_of_fields_must_be_whole() -> None:
    """Half of one group and half of another are none."""
    bare = {"subject": "x", "body": "long enough"}

    assert call(guard(), "send_email", {**bare, "first_name": "A", "last_name": "B"}).vote is Vote.ABSTAIN
    assert lacks(call(guard(), "send_email", {**bare, "first_name": "A"})).startswith("one_of:")


@pytest.mark.req("U14")
def test_a_length_is_at_least() -> None:
    """Ten of at least ten is enough."""
    assert call(guard(), "send_email", {**GOOD, "body": "x" * 10}).vote is Vote.ABSTAIN
    assert lacks(call(guard(), "send_email", {**GOOD, "body": "x" * 9})) == "body_too_short(min:10)"


TABLE = {
    "write": ["file_path", "content"],
    "write_local_file": ["path", "content"],
    "append_to_file": ["path", "content"],
    "write_text_file": ["path", "content"],
    "read_local_file": ["path"],
    "list_directory": ["path"],
    "upload_to_composio": ["path", "tool_slug", "toolkit_slug"],
    "finalize_research": ["session_dir"],
    "crawl_parallel": ["urls", "session_dir"],
    "ask_user_questions": ["questions"],
    "composio_multi_execute_tool": ["tools"],
    "composio_search_tools": ["queries"],
    "composio_search_news": ["query"],
    "composio_search_web": ["query"],
    "gmail_send_email": ["subject", "body"],
    "todowrite": ["todos"],
}


@pytest.mark.req("U15")
def test_the_table_we_ship() -> None:
    """Sixteen tools, three of them with a least length, one with a choice."""
    engine = made("schema_guard", "pre_tool_use", {"tables": ["universal_agent"]})

    assert {name: list(shape.required) for name, shape in UNIVERSAL_AGENT.items()} == TABLE
    lengths = {
        name: shape.min_length["content"] for name, shape in UNIVERSAL_AGENT.items() if shape.min_length
    }
    assert lengths == {"write": 10, "write_local_file": 10, "append_to_file": 10, "write_text_file": 1}
    mail = call(engine, "GMAIL_SEND_EMAIL", {"subject": "a", "body": "b"})
    assert lacks(mail) == "one_of:recipient_email|to"
    for name, shape in UNIVERSAL_AGENT.items():
        assert call(engine, name, {}).vote is Vote.DENY
        assert call(engine, name, shape.example).vote is Vote.ABSTAIN


@pytest.mark.req("U16")
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("write", "write"),
        ("Write", "write"),
        ("mcp__fs__write", "write"),
        ("mcp__fs__write_file", "write_file"),  # the longest
        ("TodoWrite", None),
        ("rewrite", None),
        ("mcp__fs__read", None),
    ],
)
def test_a_shape_is_found_by_the_name_or_its_last_words(name: str, found: str | None) -> None:
    """A tool nobody described may be called in any way."""
    engine = guard({"write": {"required": ["write"]}, "WRITE_FILE": {"required": ["write_file"]}})

    assert lacks(call(engine, name, {})) == (found or "")


@pytest.mark.req("U16")
@pytest.mark.parametrize("wrapped", [False, True])
def test_the_list_of_an_mcp_server_supplies_shapes(tmp_path: Path, *, wrapped: bool) -> None:
    """A file with the tools, bare or as the server's answer; it is read again when it changes."""
    tools = [{"name": "update", "inputSchema": TAGS}, {"name": "odd", "inputSchema": {"type": "objectt"}}, 3]
    file = tmp_path / "tools.json"
    listed: object = {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}} if wrapped else {"tools": tools}
    file.write_text(json.dumps(listed))
    engine = made("schema_guard", "pre_tool_use", {"tool_lists": {"crm": str(file)}})

    assert lacks(call(engine, "mcp__crm__update", {"id": 1})) == "tags"
    assert call(engine, "mcp__other__update", {}).vote is Vote.ABSTAIN
    assert call(engine, "mcp__crm__odd", {}).vote is Vote.ABSTAIN
    file.write_text("no list any more")
    assert call(engine, "mcp__crm__update", {"id": 1}).vote is Vote.ABSTAIN


@pytest.mark.req("U18")
@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Write</tool_name>", "Write"),
        ('<invoke name="send_email">', "send_email"),
        ("mcp__mail__send</arg_key><arg_value>x", "mcp__mail__send"),
        ("Readtools", "Read"),
        ("send_email_tools", "send_email"),
    ],
)
def test_a_malformed_name_is_denied_with_the_one_that_was_meant(name: str, meant: str) -> None:
    """Models leave scraps of their own markup in it."""
    decision = call(guard(), name, GOOD)

    assert decision.vote is Vote.DENY
    assert f"call `{meant}`." in str(decision.reason)
    assert call(guard(names=False), name, {}).reason is None


@pytest.mark.req("U18")
@pytest.mark.parametrize("name", ["mcp__x__list_tools", "GetTools", "a.b-c:d"])
def test_a_name_that_only_looks_odd_is_none_of_ours(name: str) -> None:
    """A tool may well be called so."""
    assert call(guard(), name, {}).vote is Vote.ABSTAIN


@pytest.mark.req("U19")
def test_a_list_sent_as_a_text_is_put_right() -> None:
    """The other fields stay, no permission is given, and the agent is told once what to send."""
    decision = call(guard({"tag": {"schema": TAGS}}), "tag", {"id": 7, "tags": '["a", "b"]', "note": "[1]"})

    assert decision.updated_input == {"id": 7, "tags": ["a", "b"], "note": "[1]"}
    assert (decision.vote, decision.auto_approve) == (Vote.ABSTAIN, False)
    assert "`tags` of tag was a string of JSON" in decision.context[0]


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [("id", "7", 7), ("draft", "true", True), ("share", "0.5", 0.5), ("more", '{"a": 1}', {"a": 1})],
)
def test_what_a_text_says_without_loss_is_put_right(field: str, text: str, value: object) -> None:
    """Numbers, truth values and objects too."""
    given = {"id": 1, "tags": ["a"], field: text}
    decision = call(guard({"tag": {"schema": TAGS}}), "tag", given)

    assert (decision.updated_input or {})[field] == value


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("id", "1e3"),
        ("id", "007"),
        ("id", "true"),
        ("share", "0.50"),
        ("share", "NaN"),
        ("share", "1e999"),
        ("more", '{"a": 1, "a": 2}'),
        ("more", "[1]"),
        ("tags", "a, b"),
        ("more", '{"a": 1e999}'),
        ("more", '{"a": 0.10000000000000000001}'),
        ("more", '{"a": 12345678901234567890}'),
        ("more", '{"a": "\\ud800"}'),
        ("tags", "[" * 100_000),
    ],
)
def test_what_would_lose_something_is_a_mistake(field: str, text: str) -> None:
    """A number written in another way, a key twice, another type, half a list."""
    decision = call(guard({"tag": {"schema": TAGS}}), "tag", {"id": 1, "tags": ["a"], field: text})

    assert (decision.vote, decision.updated_input) == (Vote.DENY, None)


@pytest.mark.parametrize("odd", [b"x", "\ud800"])
def test_what_is_no_json_is_a_mistake_and_no_crash(odd: object) -> None:
    """A Python agent may hand over anything."""
    decision = call(guard({"tag": {"schema": TAGS}}), "tag", {"id": 1, "tags": ["a"], "more": odd})

    assert "the call contains something that is not JSON" in str(decision.reason)


def test_repair_can_be_switched_off() -> None:
    """Then the text is a mistake like any other."""
    decision = call(guard({"tag": {"schema": TAGS}}, repair=False), "tag", {"id": 1, "tags": "[]"})

    assert decision.vote is Vote.DENY


@pytest.mark.req("U19")
def test_the_items_of_a_list_that_are_wrong_are_named_together() -> None:
    """By their places; the values themselves are never told."""
    decision = call(guard({"tag": {"schema": TAGS}}), "tag", {"id": 1, "tags": ["a", 1, "b", "c", 5]})

    assert '`tags` items 1, 4: value is not of type "string"' in str(decision.reason)


def test_a_value_is_never_told() -> None:
    """It may be a secret."""
    schema = {"type": "object", "properties": {"key": {"type": "string", "maxLength": 3, "pattern": "^a"}}}
    decision = call(guard({"x": {"schema": schema}}), "x", {"key": "hunter2-hunter2"})

    assert decision.vote is Vote.DENY
    assert "hunter2" not in str(decision.reason)


@pytest.mark.req("U21")
def test_three_modes() -> None:
    """Advice beside the call, a denial, or nothing."""
    bad = {"subject": "x", "body": "long enough"}
    guide = call(guard(mode="guide"), "send_email", bad)

    assert guide.vote is Vote.ABSTAIN
    assert guide.context[0].startswith("Invalid send_email call. Missing required fields: one_of:")
    assert call(guard(mode="strict"), "send_email", bad).vote is Vote.DENY
    off = call(guard(mode="off"), "send_email", bad)
    assert (off.vote, off.context) == (Vote.ABSTAIN, ())


def test_what_calls_have_in_common_is_learned_and_only_advised() -> None:
    """After five that went well; a field that one of them left out is no longer asked for."""
    memory = MemoryInProcess()
    engine = made("schema_guard", "pre_tool_use", {"learn": True}, services=HookServices({Memory: memory}))
    for number in range(5):
        assert call(engine, "mcp__x__find", {"query": "q"}).context == ()
        call(engine, "mcp__x__find", {"query": "secret", "page": number}, "PostToolUse")
    advised = call(engine, "mcp__x__find", {"page": 1})

    assert advised.vote is Vote.ABSTAIN
    assert "Missing required fields: query." in advised.context[0]
    assert '{"query":"<query>","page":1}' in advised.context[0]
    assert "secret" not in str(memory._values)
    call(engine, "mcp__x__find", {"page": 2}, "PostToolUse")
    assert call(engine, "mcp__x__find", {"page": 1}).context == ()


def test_a_trial_learns_for_itself_alone() -> None:
    """A hook that changes nothing leaves no trace."""
    memory = MemoryInProcess()
    engine = made(
        "schema_guard",
        "pre_tool_use",
        {"learn": True},
        services=HookServices({Memory: memory}),
        mode="shadow",
    )
    call(engine, "mcp__x__find", {"query": "q"}, "PostToolUse")

    assert memory._values == {}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"tools": {"x": {"schema": {"type": "objectt"}}}}, r"config\.tools\.x\.schema"),
        ({"tools": {"x": {"schema": {"$ref": "http://127.0.0.1:9/x"}}}}, "is not fetched"),
        ({"tools": {"x": {"schema": {"pattern": "(?=a)"}}}}, "this is not a valid JSON Schema"),
        ({"tools": {"x": {}}}, "this checks nothing"),
        ({"tools": {"x": {"require": ["a"]}}}, "required"),
        ({"tool_lists": {"x": "tools.json"}}, "a policy cannot name the file"),
    ],
)
def test_a_shape_that_cannot_be_used_is_a_mistake_in_the_policy(config: dict[str, Any], said: str) -> None:
    """Told where it stands; nothing is fetched, and no pattern may take its time."""
    with pytest.raises(ConfigError, match=said):
        made("schema_guard", "pre_tool_use", config)
