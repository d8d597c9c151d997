"""The six verbs: which of them vote, what each carries, and what is none of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.handlers.view import bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote
from interlock.handlers.answers import parse_output, read_answer

BASH = bash_event()
PROMPT = Event(name="UserPromptSubmit", prompt="hi")
NOTE = {"kind": "slow_build", "body": "41 s"}
WHOLE: dict[str, Any] = {"reason": "", "inject_context": None, "updated_input": None, "annotate": None}


@pytest.mark.req("M77")
@pytest.mark.parametrize("key", ["decision", "verb"])
@pytest.mark.parametrize(("word", "vote"), [("allow", Vote.ALLOW), ("deny", Vote.DENY), ("ask", Vote.ASK)])
def test_three_verbs_vote(key: str, word: str, vote: Vote) -> None:
    """`allow`, `deny` and `ask` are votes, under either key."""
    assert read_answer({key: word, "reason": "r"}, BASH) == Verdict(vote=vote, reason="r")


@pytest.mark.req("M77")
@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("key", ["decision", "verb"])
def test_pass_is_no_opinion(key: str, dialect: Dialect) -> None:
    """`pass` leaves everything to the others, in every dialect."""
    assert parse_output(b'{"%s": "pass"}' % key.encode(), BASH, dialect) == NO_OPINION


@pytest.mark.req("M77")
def test_inject_gives_the_model_a_text_or_the_call_another_input() -> None:
    """`inject` carries context and changes, and votes nothing."""
    change = {"command": "ls -l"}

    assert read_answer({"decision": "inject", "context": "c"}, BASH) == Verdict(context="c")
    assert read_answer({"decision": "inject", "modified_input": change}, BASH) == Verdict(
        updated_input=change
    )
    assert read_answer({"verb": "inject", "inject_context": "c", "updated_input": change}, BASH) == Verdict(
        context="c", updated_input=change
    )
    assert read_answer({"verb": "inject", "updated_input": {"prompt": "p"}}, PROMPT) == Verdict(
        updated_prompt="p"
    )


@pytest.mark.req("M77")
@pytest.mark.parametrize(
    "answer",
    [
        {"decision": "annotate", "evidence": {"kind": "slow_build", "data": {"body": "41 s"}}},
        {"verb": "annotate", "annotate": NOTE},
        {"verb": "annotate", "annotate": {"kind": "slow_build", "body": {"body": "41 s"}}},
    ],
)
def test_annotate_leaves_a_note_and_nothing_else(answer: Any) -> None:
    """`annotate` is evidence without a vote."""
    note = Evidence(kind="slow_build", data={"body": "41 s"})

    assert read_answer(answer, BASH) == Verdict(evidence=note)


@pytest.mark.req("M77")
def test_a_record_written_whole_says_nothing_by_its_nulls() -> None:
    """Null and an empty reason are what such a record has where it has nothing to say."""
    assert read_answer({"verb": "pass", **WHOLE}, BASH) == NO_OPINION
    assert read_answer({"verb": "allow", **WHOLE}, BASH) == Verdict(vote=Vote.ALLOW)
    assert read_answer({"verb": "deny", **WHOLE}, BASH).reason == "the hook gave no reason"


@pytest.mark.req("M77")
@pytest.mark.parametrize("extra", [{"verb": "allow"}, {"verb": "nonsense"}, {"verb": None}])
def test_beside_another_form_a_verb_is_a_key_nobody_reads(extra: dict[str, Any]) -> None:
    """What the other forms mean does not change by a key they never knew."""
    specific = {"hookEventName": "PreToolUse", "permissionDecision": "deny"}

    assert read_answer({"decision": "deny", "reason": "r", **extra}, BASH).vote is Vote.DENY
    assert read_answer({"hookSpecificOutput": specific, **extra}, BASH).vote is Vote.DENY


GARBAGE: list[Any] = [
    "pass",
    {"decision": "PASS"},
    {"verb": None},
    {"verb": "approve"},
    {"verb": ["pass"]},
    {"verb": "Allow"},
    {"verb": "deny", "reason": 1},
    {"decision": "pass", "modified_input": {"command": "x"}},
    {"decision": "pass", "context": "c"},
    {"decision": "pass", "modified_output": None},
    {"decision": "pass", "evidence": {"kind": "k", "data": {}}},
    {"verb": "pass", "inject_context": "c"},
    {"verb": "pass", "annotate": NOTE},
    {"decision": "inject"},
    {"verb": "inject", "reason": "r"},
    {"verb": "inject", "annotate": NOTE},
    {"verb": "inject", "inject_context": 1},
    {"verb": "inject", "updated_input": "ls"},
    {"decision": "annotate"},
    {"verb": "annotate"},
    {"verb": "annotate", "annotate": "slow"},
    {"verb": "annotate", "annotate": {"kind": "k"}},
    {"verb": "annotate", "annotate": {"kind": 1, "body": "b"}},
    {"verb": "annotate", "annotate": {"kind": "k", "body": 4}},
    {"verb": "annotate", "annotate": NOTE, "updated_input": {"command": "x"}},
    {"verb": "pass", "Reject": {"reason": "r"}},
    {"decision": "pass", "continue": False},
]


@pytest.mark.req("M77", "D06")
@pytest.mark.parametrize("answer", GARBAGE, ids=repr)
def test_a_verb_that_carries_what_it_does_not_say_is_garbage(answer: Any) -> None:
    """An answer has one reading or none."""
    with pytest.raises(HookFailedError, match="expected") as raised:
        read_answer(answer, BASH)

    assert raised.value.kind is FailureKind.GARBAGE
