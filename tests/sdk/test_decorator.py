"""Functions that become hooks."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from interlock import Engine, Event, Hook, ToolCall, Verdict, Vote, deny, hook
from interlock.errors import ConditionError, PatternError, UnknownEventError
from interlock.events.hook import OnFailure


def bash(command: str = "ls", **fields: Any) -> Event:
    return Event(
        name="PreToolUse", session_id="s", tool=ToolCall(name="Bash", input={"command": command}), **fields
    )


def refuse(event: Event) -> Verdict:
    return deny(f"no {event.name}")


@pytest.mark.req("C21", "C42")
def test_a_decorated_function_is_a_hook_record() -> None:
    """Name, events, matcher, limits and place come from the function and its decorator."""
    made = hook("PreToolUse", "agent_stop", matcher="Bash(rm *)", once=True, on_failure="open")(refuse)

    assert isinstance(made, Hook)
    assert (made.name, made.events, made.matcher.text) == ("refuse", ("PreToolUse", "Stop"), "Bash(rm *)")
    assert (made.once, made.on_failure, made.handler.kind) == (True, OnFailure.OPEN, "function")
    assert (made.source.file, made.source.line) == (__file__, refuse.__code__.co_firstlineno)


@pytest.mark.req("C22", "C72")
def test_a_function_has_ten_seconds_unless_it_says_otherwise() -> None:
    """The ten minutes of the `hooks.toml` document are not the default of functions."""
    assert hook("PreToolUse")(refuse).timeout == 10.0
    assert hook("PreToolUse", timeout=600)(refuse).timeout == 600.0


@pytest.mark.req("C21")
def test_the_defaults_of_a_decorated_function() -> None:
    """No matcher, not once, and no say of its own about failure."""
    made = hook("PreToolUse")(refuse)

    assert (made.matcher.text, made.once, made.on_failure, made.condition) == ("*", False, None, None)
    assert (made.shadow, made.observe, made.auto_approve, made.rejudge) == (False, False, False, True)


@pytest.mark.req("U11")
def test_a_function_may_send_an_agent_back_more_than_once() -> None:
    """Until its `max_rounds`, in each turn; without it, not where the agent was sent back already."""
    engine = Engine([hook("Stop", max_rounds=2)(refuse)])
    again = Event(name="AgentStop", session_id="s", extra={"stop_hook_active": True})
    found = [engine.decide_sync(again) for _ in range(3)]
    engine.decide_sync(Event(name="UserPromptSubmit", session_id="s", prompt="go on"))

    assert [one.feedback for one in found] == ["Stop blocked: no Stop", "Stop blocked: no Stop", None]
    assert "its `max_rounds` is 2" in str(found[2].trace[0].reason)
    assert engine.decide_sync(again).denied
    assert not Engine([hook("Stop")(refuse)]).decide_sync(again).denied


@pytest.mark.parametrize(("event", "rounds"), [("PreToolUse", 2), ("Stop", 0), ("Stop", 1001)])
def test_rounds_that_mean_nothing_are_refused(event: str, rounds: int) -> None:
    """Blocks are counted at the end of a turn, from one on."""
    with pytest.raises(ValueError, match="max_rounds"):
        hook(event, max_rounds=rounds)


def test_what_has_no_name_goes_by_its_class() -> None:
    """A partial or an object is named after its type, unless a name is given."""
    partial = functools.partial(refuse)

    assert hook("PreToolUse")(partial).name == "partial"
    assert hook("PreToolUse", name="mine")(partial).name == "mine"


def test_an_unknown_event_is_refused_with_the_nearest() -> None:
    """A misspelt event never becomes a hook that waits for nothing."""
    with pytest.raises(UnknownEventError, match="`PreToolUze`; did you mean `PreToolUse`"):
        hook("PreToolUze")


@pytest.mark.parametrize("arguments", [(), (refuse,)])
def test_a_hook_without_an_event_is_refused(arguments: tuple[Any, ...]) -> None:
    """Both the forgotten name and the forgotten parentheses are told what to write."""
    with pytest.raises(TypeError, match=r'write `@hook\("PreToolUse"\)`'):
        hook(*arguments)


@pytest.mark.parametrize("timeout", [0, -1, 600.5, float("nan")])
def test_a_time_limit_out_of_range_is_refused(timeout: float) -> None:
    """More than the ceiling, nothing, and what is not a number at all."""
    with pytest.raises(ValueError, match="at most 600"):
        hook("PreToolUse", timeout=timeout)


def test_mistakes_in_matcher_condition_and_failure_are_refused_at_once() -> None:
    """What cannot be read is an error where it is written, not when an event comes."""
    with pytest.raises(PatternError):
        hook("PreToolUse", matcher="Bash(")
    with pytest.raises(ConditionError):
        hook("PreToolUse", condition="tool.name ==")
    with pytest.raises(ValueError, match="sometimes"):
        hook("PreToolUse", on_failure="sometimes")(refuse)  # type: ignore[arg-type] # the mistake on purpose


async def test_a_condition_decides_whether_the_function_is_asked() -> None:
    """The same expressions as in policy files."""
    engine = Engine(hooks=[hook("PreToolUse", condition='actor == "agent:guest"')(refuse)])

    assert (await engine.decide(bash(actor="agent:guest"))).denied
    assert not (await engine.decide(bash())).denied


@pytest.mark.req("C42", "C43")
@pytest.mark.parametrize(
    ("answer", "vote"),
    [
        (None, Vote.ABSTAIN),
        ("Continue", Vote.ABSTAIN),
        ({"Reject": {"reason": "r"}}, Vote.DENY),
        ({"decision": "ask", "reason": "r"}, Vote.ASK),
        (Verdict(vote=Vote.ALLOW), Vote.ALLOW),
    ],
)
async def test_a_function_may_answer_in_any_form(answer: Any, vote: Vote) -> None:
    """Verdicts, dicts, words and nothing; sync and async."""

    async def later(event: Event) -> Any:
        return answer

    for function in (lambda event: answer, later):
        decision = await Engine(hooks=[hook("PreToolUse")(function)]).decide(bash())
        assert decision.vote is vote


@pytest.mark.req("C23", "C53")
async def test_in_the_engine_only_a_once_hook_that_ran_is_gone() -> None:
    """The one whose moment has not come stays; each session has its own."""
    ran = []

    def note(event: Event) -> None:
        ran.append(f"{event.session_id} {event.name}")

    engine = Engine(
        hooks=[hook("SessionStart", once=True)(note), hook("SessionEnd", once=True, name="end")(note)]
    )
    for name in ["SessionStart", "SessionStart", "SessionEnd", "SessionEnd"]:
        await engine.decide(Event(name=name, session_id="a"))
    await engine.decide(Event(name="SessionStart", session_id="b"))

    assert ran == ["a SessionStart", "a SessionEnd", "b SessionStart"]


@pytest.mark.req("C26")
async def test_in_the_engine_a_matcher_keeps_a_hook_from_events_without_a_tool() -> None:
    """With a matcher it is skipped, without one it runs; where it could never run it is refused."""
    matched = hook("PreToolUse", "Stop", matcher="Bash*", name="matched")(refuse)
    plain = hook("Stop", name="plain")(refuse)

    decision = await Engine(hooks=[matched, plain]).decide(Event(name="Stop"))

    with pytest.raises(PatternError, match="could never run"):
        hook("UserPromptSubmit", matcher="Bash*")(refuse)
    assert [(row.hook, str(row.outcome)) for row in decision.trace] == [
        ("matched", "skipped"),
        ("plain", "blocking"),
    ]
