"""So many calls, minutes, steps and tokens, and then the agent ends in good order."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.builtin_hooks.turns import budget
from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess, Window

NAME = "pre_tool_use[0]:budget"
UNLIMITED = {"tool_calls": 0, "minutes": 0, "steps": 0, "tokens": 0}


class Filling:
    """A context as full as a test says."""

    def __init__(self) -> None:
        self.full: int | None = None
        self.asked = 0

    def tokens(self, transcript: str) -> int | None:
        self.asked += 1
        return self.full if transcript == "/t" else None


def hook(services: HookServices | None = None, **options: Any) -> Engine:
    return made("budget", "pre_tool_use", {**UNLIMITED, **options}, services=services)


def call(engine: Engine, *, agent: str | None = None, session: str = "s") -> Decision:
    tool = ToolCall(name="Bash", input={"command": "true"})
    return engine.decide_sync(
        Event(name="PreToolUse", session_id=session, cwd="/", tool=tool, transcript_path="/t", agent_id=agent)
    )


@pytest.mark.req("U35")
def test_the_limits_unless_said() -> None:
    """250 calls, 90 minutes, 50 steps, and nine tenths of a window of 200,000."""
    unless_said = budget.Options()

    assert (unless_said.tool_calls, unless_said.minutes, unless_said.steps) == (250, 90, 50)
    assert unless_said.tokens == 180_000


@pytest.mark.req("U35")
def test_calls_are_denied_beyond_their_number() -> None:
    """Told at four fifths, denied after the last; the person hears once."""
    engine = hook(tool_calls=5)
    seen = [call(engine) for _ in range(7)]

    assert [one.vote is Vote.DENY for one in seen] == [False] * 5 + [True] * 2
    assert seen[3].context == (
        "The budget is nearly used up: 4 of 5 tool calls. Bring your current step to a close.",
    )
    assert seen[4].context == ()
    assert str(seen[5].reason).startswith("The budget is used up: 5 of 5 tool calls. Call no more tools")
    assert [one.messages for one in seen[5:]] == [("budget: 5 of 5 tool calls; used up",), ()]


@pytest.mark.req("U35")
def test_time_runs_out() -> None:
    """By the clock on the wall, from the first prompt on."""
    memory = MemoryInProcess()
    engine = hook(HookServices({Memory: memory}), minutes=90)

    def after(minutes: float) -> Decision:
        engine.decide_sync(prompt("go"))
        began = memory.get("s", NAME)["began"] - minutes * 60
        memory.put("s", NAME, {**memory.get("s", NAME), "began": began})
        return call(engine)

    assert (after(0).vote, after(1).context) == (Vote.ABSTAIN, ())
    assert "89 of 90 minutes" in after(89).context[0]
    assert "91 of 90 minutes" in str(after(91).reason)


@pytest.mark.req("U35")
def test_steps_are_ends_of_a_turn() -> None:
    """A loop that sends the agent back uses one each time."""
    engine = hook(steps=2)
    for _ in range(3):
        assert call(engine).vote is Vote.ABSTAIN
        engine.decide_sync(Event(name="Stop", session_id="s", cwd="/"))

    assert "3 of 2 steps" in str(call(engine).reason)


@pytest.mark.req("U35")
def test_a_full_context_is_handed_over() -> None:
    """Told once for each window, never denied; a sub-agent's is another one."""
    window = Filling()
    engine = hook(HookServices({Memory: MemoryInProcess(), Window: window}), tokens=180_000)
    window.full = 180_000
    assert call(engine).context == ()
    window.full = 180_001
    told = [one for _ in range(20) for one in call(engine).context]
    window.full = 20_000
    for _ in range(6):
        call(engine)
    window.full = 190_000
    again = [one for _ in range(10) for one in call(engine).context]

    assert len(told) == len(again) == 1
    assert told[0].startswith("The context is nearly full: 180,001 of 180,000 tokens. Write down")
    asked = window.asked
    assert [call(engine, agent="a1").vote for _ in range(6)] == [Vote.ABSTAIN] * 6
    assert window.asked == asked


def test_a_prompt_begins_anew_unless_it_is_for_the_session() -> None:
    """The person has seen where it stands."""
    turn, session = hook(tool_calls=1), hook(tool_calls=1, per="session")
    for engine in (turn, session):
        call(engine)
        assert call(engine).vote is Vote.DENY
        engine.decide_sync(prompt("go on"))

    assert call(turn).vote is Vote.ABSTAIN
    assert call(session).vote is Vote.DENY


def test_calls_of_sub_agents_count_and_sessions_do_not_share() -> None:
    """One purse for all that a prompt started."""
    engine = hook(tool_calls=2)
    call(engine, agent="a1")
    call(engine)

    assert call(engine, agent="a2").vote is Vote.DENY
    assert call(engine, session="other").vote is Vote.ABSTAIN


def test_only_told_if_so_wished() -> None:
    """Nothing is denied then, and it is said once."""
    engine = hook(tool_calls=1, mode="tell", warn_at=1)
    seen = [call(engine) for _ in range(4)]

    assert {one.vote for one in seen} == {Vote.ABSTAIN}
    assert [len(one.messages) for one in seen] == [0, 1, 0, 0]


def test_what_was_used_outlives_the_engine() -> None:
    """It is kept where hooks remember."""
    services = HookServices({Memory: MemoryInProcess()})
    call(hook(services, tool_calls=1))

    assert call(hook(services, tool_calls=1)).vote is Vote.DENY


def test_no_limit_at_all_is_a_mistake() -> None:
    """It would do nothing."""
    with pytest.raises(ConfigError, match=r"config\.tool_calls"):
        hook()
