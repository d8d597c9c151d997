"""What Claude Code cannot carry out is noted, never dropped in silence."""

from __future__ import annotations

import json

import pytest
from tests.builders import Says, hook
from tests.hosts.claude_code.recorded import AT_THE_TERMINAL, HOST, read

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote, ask, deny
from interlock.hosts.claude_code.write import MAX_TEXT, cut
from interlock.hosts.host import Reply

pytestmark = pytest.mark.req("M78")


@pytest.mark.parametrize(
    ("event", "decision", "sentence"),
    [
        (
            Event(name="SessionStart"),
            Decision(vote=Vote.DENY, reason="no"),
            "a deny cannot stop SessionStart",
        ),
        (
            Event(name="SessionEnd"),
            Decision(vote=Vote.ASK, reason="no"),
            "nobody can be asked at SessionEnd",
        ),
        (
            Event(name="Notification"),
            Decision(vote=Vote.ABSTAIN, context=("c",)),
            "context does not reach the model at Notification",
        ),
        (
            Event(name="PostCompact"),
            Decision(vote=Vote.ABSTAIN, messages=("m",)),
            "messages are not shown at PostCompact",
        ),
        (
            Event(name="PostToolUseFailure"),
            Decision(vote=Vote.ABSTAIN, updated_output="x"),
            "the output cannot be changed at PostToolUseFailure",
        ),
        (
            Event(name="PostToolUse"),
            Decision(vote=Vote.ABSTAIN, updated_output=None),
            "the output cannot be replaced by null at PostToolUse",
        ),
        (
            Event(name="PermissionRequest"),
            Decision(vote=Vote.ABSTAIN, updated_input={}),
            "the input cannot be changed without an approval at PermissionRequest",
        ),
        (
            Event(name="ConfigChange", extra={"source": "policy_settings"}),
            Decision(vote=Vote.DENY, reason="no"),
            "a deny cannot stop ConfigChange",
        ),
        (
            Event(name="Stop"),
            Decision(vote=Vote.ASK, reason="no"),
            "nobody can be asked at Stop: the agent may stop",
        ),
        (
            Event(name="BrandNew"),
            Decision(vote=Vote.DENY, reason="no"),
            "a deny cannot stop BrandNew",
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Event) else "",
)
def test_what_is_lost_is_said(event: Event, decision: Decision, sentence: str) -> None:
    """Nothing is printed, and one sentence says what was not carried out."""
    assert HOST.write(event, decision) == Reply(degraded=(sentence,))


@pytest.mark.req("F06")
def test_a_question_about_a_prompt_blocks_it() -> None:
    """There is no dialog for prompts, not even with a person there."""
    event = read("UserPromptSubmit.json", AT_THE_TERMINAL, permission_mode="default")

    assert HOST.write(event, Decision(vote=Vote.ASK, reason="is that wise?")) == Reply(
        stdout=b'{"decision":"block","reason":"Prompt refused: is that wise?; a person must approve this, '
        b'and nobody can be asked here"}',
        degraded=("nobody can be asked at UserPromptSubmit: denied instead",),
    )


def test_a_changed_prompt_becomes_context() -> None:
    """The host sends the original, so the model is told how to read it."""
    decision = Decision(vote=Vote.ABSTAIN, updated_prompt="run make test", context=("first",))

    assert HOST.write(read("UserPromptSubmit.json"), decision) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":'
        b'"first\\n\\nThe policy reads the prompt as:\\nrun make test"}}',
        degraded=("the prompt cannot be changed at UserPromptSubmit: the new one is given as context",),
    )


def test_a_blocked_prompt_is_not_read_in_another_way() -> None:
    """What does not reach the model needs no new words."""
    decision = Decision(vote=Vote.DENY, reason="no", updated_prompt="run make test")

    assert HOST.write(read("UserPromptSubmit.json"), decision) == Reply(
        stdout=b'{"decision":"block","reason":"Prompt refused: no"}'
    )


@pytest.mark.parametrize("name", [EventName.SESSION_START, EventName.POST_TOOL_USE, EventName.NOTIFICATION])
@pytest.mark.parametrize("shadow", [False, True])
async def test_a_vote_that_did_not_count_is_found_in_the_trace(name: str, shadow: bool) -> None:
    """The engine counts no votes at such moments, yet a no is named as lost; a shadow's is not."""
    engine = Engine([hook(Says(deny("no")), events=(name,), shadow=shadow)])
    event = Event(name=name)

    reply = HOST.write(event, await engine.decide(event))

    assert reply == Reply(degraded=() if shadow else (f"a deny cannot stop {name}",))


async def test_the_strictest_lost_vote_is_named() -> None:
    """Of an ask and a deny the deny is the greater loss."""
    engine = Engine([hook(Says(vote), events=("SessionStart",)) for vote in (ask("a"), deny("d"), ask("b"))])
    event = Event(name="SessionStart")

    assert HOST.write(event, await engine.decide(event)).degraded == ("a deny cannot stop SessionStart",)


@pytest.mark.parametrize("tool", ["AskUserQuestion", "ExitPlanMode"])
def test_an_approval_does_not_answer_a_question(tool: str) -> None:
    """Tools that ask a person ask all the same."""
    event = read("PreToolUse-Bash.json", tool_name=tool)
    granted = Decision(vote=Vote.ALLOW, auto_approve=True)

    assert HOST.write(event, granted).degraded == (f"{tool} asks its question despite an approval",)


def test_a_long_context_is_cut_with_a_note() -> None:
    """The host would put a longer text into a file, so it is cut where we can say so."""
    reply = HOST.write(Event(name="SessionStart"), Decision(vote=Vote.ABSTAIN, context=("x" * 20_000,)))

    sent = json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"]
    assert len(sent) == MAX_TEXT
    assert sent.endswith("x\n[cut: the text was longer than 10,000 characters]")
    assert reply.degraded == ("`additionalContext` was cut to 10000 characters at SessionStart",)


@pytest.mark.parametrize("text", ["x" * MAX_TEXT, "😀" * (MAX_TEXT // 2), ""])
def test_a_text_that_fits_is_left_alone(text: str) -> None:
    """Up to the limit nothing is lost, counted in the host's units."""
    assert cut(text) is text


@pytest.mark.parametrize("text", ["x" * (MAX_TEXT + 1), "😀" * (MAX_TEXT // 2 + 1), "x" + "😀" * MAX_TEXT])
def test_a_cut_text_fits_and_holds_no_half_character(text: str) -> None:
    """A character of two units is kept or dropped whole."""
    short = cut(text)

    assert len(short.encode("utf-16-le")) // 2 <= MAX_TEXT
    assert text.startswith(short.partition("\n")[0])
