"""Answers of every dialect, and what is none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.handlers.view import bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote
from interlock.handlers.answers import parse_output, read_answer

BASH = bash_event()
PROMPT = Event(name="UserPromptSubmit", prompt="hi")
STRICT = (Dialect.GENESIS, Dialect.CLAUDE)


def claude(name: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": name, **fields}}


@pytest.mark.req("C33", "C43", "C45", "U39")
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("text", [b"", b" \n", b"{}", b'"Continue"', b'\xef\xbb\xbf"Continue"\n'])
def test_silence_and_continue_are_no_opinion(text: bytes, dialect: Dialect) -> None:
    """Nothing printed, an empty object and `"Continue"` say nothing, in every dialect."""
    expected = NO_OPINION

    assert parse_output(text, BASH, dialect) == expected


@pytest.mark.req("C32", "C43", "C45")
@pytest.mark.parametrize("dialect", Dialect)
def test_reject_denies_with_its_reason(dialect: Dialect) -> None:
    """`{"Reject": …}` is a deny that carries the reason word for word."""
    verdict = parse_output(b'{"Reject": {"reason": "no rm"}}', BASH, dialect)

    assert verdict == Verdict(vote=Vote.DENY, reason="no rm")


@pytest.mark.req("C43", "C45")
def test_modify_input_changes_the_input_and_votes_nothing() -> None:
    """`{"ModifyInput": …}` is a new input without a vote."""
    verdict = read_answer({"ModifyInput": {"new_input": {"command": "ls -l"}}}, BASH)

    assert verdict == Verdict(updated_input={"command": "ls -l"})


@pytest.mark.req("C43", "M9")
@pytest.mark.parametrize("value", ["hello", {"prompt": "hello"}])
def test_a_new_input_at_a_prompt_event_is_the_new_prompt(value: Any) -> None:
    """Where a prompt is judged, the input that is modified is the prompt."""
    assert read_answer({"ModifyInput": {"new_input": value}}, PROMPT).updated_prompt == "hello"
    assert read_answer({"decision": "allow", "modified_input": value}, PROMPT).updated_prompt == "hello"


@pytest.mark.req("C43", "M9")
@pytest.mark.parametrize("value", [None, 1, [], {}, {"prompt": 1}, {"command": "ls"}])
def test_a_new_prompt_must_be_text(value: Any) -> None:
    """What is not a prompt cannot replace one."""
    with pytest.raises(HookFailedError, match="expected a string"):
        read_answer({"ModifyInput": {"new_input": value}}, PROMPT)


@pytest.mark.req("M9")
def test_the_decision_to_modify_is_a_new_input_without_a_vote() -> None:
    """As the document writes it; without a new input nobody knows what is meant."""
    said = {"decision": "modify", "modified_input": {"command": "ls -l"}, "reason": "long form"}

    assert read_answer(said, BASH) == Verdict(updated_input={"command": "ls -l"}, reason="long form")
    assert read_answer({"decision": "modify", "modified_input": "x"}, PROMPT).updated_prompt == "x"
    with pytest.raises(HookFailedError, match="has no `modified_input`"):
        read_answer({"decision": "modify"}, BASH)


@pytest.mark.req("M9")
@pytest.mark.parametrize(("word", "vote"), [("allow", Vote.ALLOW), ("deny", Vote.DENY), ("ask", Vote.ASK)])
def test_a_decision_is_the_vote_it_names(word: str, vote: Vote) -> None:
    """The three decisions are the three votes."""
    assert read_answer({"decision": word, "reason": "r"}, BASH) == Verdict(vote=vote, reason="r")


@pytest.mark.req("M9")
def test_a_decision_carries_changes_texts_and_evidence() -> None:
    """Every field of the genesis answer arrives in the verdict."""
    verdict = read_answer(
        {
            "decision": "allow",
            "modified_input": {"command": "x"},
            "modified_prompt": "p",
            "modified_output": None,
            "context": "c",
            "message": "m",
            "evidence": {"kind": "diff", "data": {"n": 1}},
        },
        BASH,
    )

    assert verdict.updated_input == {"command": "x"}
    assert verdict.updated_prompt == "p"
    assert verdict.updated_output is None
    assert (verdict.context, verdict.message) == ("c", "m")
    assert verdict.evidence == Evidence(kind="diff", data={"n": 1})


@pytest.mark.req("M9")
def test_an_unchanged_output_is_unset_not_null() -> None:
    """Without `modified_output` the output stays what it was."""
    assert read_answer({"decision": "allow"}, BASH).updated_output is msgspec.UNSET


@pytest.mark.req("M9")
@pytest.mark.parametrize("word", ["deny", "ask"])
def test_who_is_stopped_is_always_told_something(word: str) -> None:
    """A deny or ask without a reason gets one that says so."""
    assert read_answer({"decision": word}, BASH).reason == "the hook gave no reason"


@pytest.mark.req("C32")
@pytest.mark.parametrize(
    ("word", "vote"),
    [("allow", Vote.ALLOW), ("deny", Vote.DENY), ("ask", Vote.ASK), ("defer", Vote.ASK)],
)
def test_a_permission_decision_is_the_vote_it_names(word: str, vote: Vote) -> None:
    """Claude Code's decisions are votes, and one we cannot defer is asked."""
    verdict = read_answer(claude(permissionDecision=word, permissionDecisionReason="r"), BASH)

    assert (verdict.vote, verdict.reason) == (vote, "r")


@pytest.mark.req("C32")
def test_claude_fields_arrive_in_the_verdict() -> None:
    """Input, output, context and message of a Claude Code answer are kept."""
    answer = claude(updatedInput={}, additionalContext="c", updatedToolOutput="o") | {"systemMessage": "m"}

    assert read_answer(answer, BASH) == Verdict(
        updated_input={}, updated_output="o", context="c", message="m"
    )


@pytest.mark.req("C32")
@pytest.mark.parametrize(("word", "vote"), [("approve", Vote.ALLOW), ("block", Vote.DENY)])
def test_the_old_decision_words_still_count(word: str, vote: Vote) -> None:
    """Top-level `approve` and `block` are allow and deny."""
    assert read_answer({"decision": word, "reason": "r"}, BASH) == Verdict(vote=vote, reason="r")


@pytest.mark.req("C32")
def test_the_strictest_of_two_decisions_in_one_object_counts() -> None:
    """A top-level block is not undone by an allow inside, and the reason is the block's."""
    answer = claude(permissionDecision="allow", permissionDecisionReason="fine")
    answer |= {"decision": "block", "reason": "not fine"}

    verdict = read_answer(answer, BASH)

    assert (verdict.vote, verdict.reason) == (Vote.DENY, "not fine")


@pytest.mark.req("C32")
def test_a_permission_request_is_answered_by_its_behavior() -> None:
    """`decision.behavior` of a permission request is a vote, with its message and new input."""
    request = bash_event(name="PermissionRequest")
    no = claude("PermissionRequest", decision={"behavior": "deny", "message": "r"})
    yes = claude("PermissionRequest", decision={"behavior": "allow", "updatedInput": {"command": "x"}})

    assert read_answer(no, request) == Verdict(vote=Vote.DENY, reason="r")
    assert read_answer(yes, request) == Verdict(vote=Vote.ALLOW, updated_input={"command": "x"})


@pytest.mark.req("C32")
def test_do_not_continue_denies_what_is_judged() -> None:
    """`continue: false` is a deny before an action and a message after it."""
    answer = {"continue": False, "stopReason": "enough"}

    assert read_answer(answer, BASH) == Verdict(vote=Vote.DENY, reason="enough")
    assert read_answer(answer, bash_event(name="PostToolUse")) == Verdict(message="enough")


@pytest.mark.req("C32")
@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "TeammateIdle"])
def test_do_not_continue_lets_an_agent_end(name: str) -> None:
    """Where a deny keeps the agent going, `continue: false` takes even a block back."""
    answer = {"continue": False, "stopReason": "enough", "decision": "block", "reason": "go on"}

    assert read_answer(answer, Event(name=name)) == Verdict(message="enough")


@pytest.mark.req("C33")
@pytest.mark.parametrize("fired", ["PostToolUse", None, "pre_tool_use"])
def test_an_answer_to_another_event_is_garbage(fired: str | None) -> None:
    """`hookEventName` must be the event that fired, exactly."""
    answer = {"hookSpecificOutput": {"permissionDecision": "deny"}}
    if fired is not None:
        answer["hookSpecificOutput"]["hookEventName"] = fired

    with pytest.raises(HookFailedError, match="expected `PreToolUse`") as raised:
        read_answer(answer, BASH)

    assert raised.value.kind is FailureKind.GARBAGE


GARBAGE = [
    b"no json",
    b'{"decision": "deny"',
    b'{"decision": "deny"} trailing',
    b'{"decision": "deny"}{"decision": "allow"}',
    b'{"decision": "deny", "decision": "allow"}',
    b'{"Reject": {"reason": "a", "reason": "b"}}',
    b'{"decision": "allow", "modified_input": {"a": NaN}}',
    b'{"decision": "deny", "reason": "\\ud800"}',
    b'{"decision": "deny", "reason": "\xff"}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"\x00\x01\xfe\xff",
    b"null",
    b"true",
    b"42",
    b"[]",
    b'"continue"',
    b'"Reject"',
    b'{"Reject": "no"}',
    b'{"Reject": {}}',
    b'{"Reject": {"reason": 1}}',
    b'{"Reject": {"reason": "r"}, "decision": "allow"}',
    b'{"Reject": {"reason": "r"}, "ModifyInput": {"new_input": {}}}',
    b'{"ModifyInput": {}}',
    b'{"ModifyInput": {"new_input": "ls"}}',
    b'{"decision": "maybe"}',
    b'{"decision": "DENY"}',
    b'{"decision": null}',
    b'{"decision": ["deny"]}',
    b'{"decision": "deny", "reason": 5}',
    b'{"decision": "deny", "reason": null}',
    b'{"decision": "allow", "modified_input": []}',
    b'{"decision": "allow", "modified_prompt": 1}',
    b'{"decision": "allow", "evidence": "x"}',
    b'{"decision": "allow", "evidence": {"kind": "x"}}',
    b'{"decision": "allow", "evidence": {"kind": 1, "data": {}}}',
    b'{"decision": "allow", "hookSpecificOutput": {"hookEventName": "PreToolUse"}}',
    b'{"reason": "alone"}',
    b'{"foo": 1}',
    b'{"continue": "no"}',
    b'{"systemMessage": 1}',
    b'{"hookSpecificOutput": []}',
    b'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "block"}}',
    b'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": null}}',
    b'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": "ls"}}',
    b'{"hookSpecificOutput": {"hookEventName": "PreToolUse", "decision": {"behavior": "ask"}}}',
]


@pytest.mark.req("C33", "D06")
@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: repr(text[:40]))
def test_garbage_is_a_failure_that_says_what_was_expected(text: bytes) -> None:
    """What has no reading, or two, is not an answer."""
    with pytest.raises(HookFailedError, match="expected") as raised:
        parse_output(text, BASH, Dialect.GENESIS)

    assert raised.value.kind is FailureKind.GARBAGE


@pytest.mark.req("C33", "C39")
@pytest.mark.parametrize("text", GARBAGE, ids=lambda text: repr(text[:40]))
def test_garbage_of_a_hooks_toml_hook_is_let_pass_and_marked(text: bytes) -> None:
    """Its document says what is not a result is continue; the mark lets it be counted."""
    assert parse_output(text, BASH, Dialect.HOOKS_TOML) == Verdict(ignored=True)


@pytest.mark.req("C33")
@pytest.mark.parametrize("name", ["UserPromptSubmit", "UserPromptExpansion", "SessionStart"])
def test_plain_text_of_a_claude_hook_is_context_where_claude_says_so(name: str) -> None:
    """At three events printed text is for the model."""
    verdict = parse_output(b"remember: 3 open tasks\n", Event(name=name), Dialect.CLAUDE)

    assert verdict == Verdict(context="remember: 3 open tasks")


@pytest.mark.req("C33")
@pytest.mark.parametrize("text", [b"all good", b"42", b"[]", b'banner {"decision": "block"}', b"\xff\xfe"])
def test_plain_text_of_a_claude_hook_is_ignored_elsewhere(text: bytes) -> None:
    """Before a tool call text is not an opinion, and marked as ignored."""
    assert parse_output(text, BASH, Dialect.CLAUDE) == Verdict(ignored=True)


@pytest.mark.req("C33", "D06")
@pytest.mark.parametrize(
    "text", [text for text in GARBAGE if text.startswith(b"{")], ids=lambda t: repr(t[:40])
)
def test_a_broken_object_of_a_claude_hook_is_never_taken_for_text(text: bytes) -> None:
    """What begins like an answer and is none is a failure, even where text would be context."""
    with pytest.raises(HookFailedError):
        parse_output(text, bash_event(), Dialect.CLAUDE)


@pytest.mark.req("C33")
def test_a_message_repeats_only_the_beginning_of_a_wrong_value() -> None:
    """A hook cannot fill the log with its mistake."""
    with pytest.raises(HookFailedError) as raised:
        read_answer({"decision": "x" * 100_000}, BASH)

    assert len(raised.value.message) < 300
