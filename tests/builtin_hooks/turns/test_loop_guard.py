"""A call that is made again and again and brings nothing new is told of, then denied."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


def guard(services: HookServices | None = None, **options: Any) -> Engine:
    return made("loop_guard", "pre_tool_use", options, services=services)


def call(
    engine: Engine,
    command: str = "pytest",
    brings: object = "1 failed",
    *,
    error: str | None = None,
    agent: str | None = None,
    **more: Any,
) -> str:
    """Make a call as a host does; what came of it: ran, told, denied."""
    tool = ToolCall(name=more.pop("tool", "Bash"), input={"command": command, **more})
    event = Event(name="PreToolUse", session_id="s", cwd="/", tool=tool, agent_id=agent)
    before = engine.decide_sync(event)
    if before.vote.name == "DENY":
        return "denied"
    name = "PostToolUseFailure" if error else "PostToolUse"
    after = Event(
        name=name, session_id="s", cwd="/", tool=tool, agent_id=agent, tool_output=brings, error=error
    )
    engine.decide_sync(after)
    return "told" if before.context else "ran"


def test_the_third_is_told_and_the_fifth_denied() -> None:
    """And every one after it."""
    engine = guard()

    assert [call(engine) for _ in range(6)] == ["ran", "ran", "told", "ran", "denied", "denied"]


def test_a_denial_says_what_to_do() -> None:
    """Change something, try another way, or ask."""
    engine = guard(warn=2, deny=3)
    call(engine)
    call(engine)
    tool = ToolCall(name="Bash", input={"command": "pytest"})
    decision = engine.decide_sync(Event(name="PreToolUse", session_id="s", cwd="/", tool=tool))

    assert str(decision.reason).startswith("Bash was called 3 times with the same input")
    assert "try another way" in str(decision.reason)


def test_something_new_begins_the_count_anew() -> None:
    """The result differs: there is progress."""
    engine = guard()

    assert [call(engine, brings=f"{n} failed") for n in range(8)] == ["ran"] * 8
    assert [call(engine, brings="same") for _ in range(3)] == ["ran", "ran", "told"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 failed in 0.12s", "1 failed in 3.4 seconds"),
        ("12:01:02 error", "12:09:55,123 error"),
        ({"durationMs": 12, "out": "x"}, {"durationMs": 900, "out": "x"}),
        ("<object at 0x7f00>", "<object at 0x8a11>"),
    ],
)
def test_how_long_it_took_is_nothing_new(one: object, other: object) -> None:
    """Nor when it was."""
    engine = guard()

    assert [call(engine, brings=result) for result in (one, other, one)] == ["ran", "ran", "told"]


def test_a_long_result_is_compared_in_one_go() -> None:
    """Digits without end are not duration."""
    engine = guard()

    assert [call(engine, brings="7" * 400_000) for _ in range(3)] == ["ran", "ran", "told"]


def test_failures_count_too() -> None:
    """With the same error each time."""
    engine = guard()

    assert [call(engine, error="exit 1") for _ in range(5)] == ["ran", "ran", "told", "ran", "denied"]


def test_a_change_in_between_begins_the_count_anew() -> None:
    """Test, edit, test, edit is how work is done."""
    engine = guard()
    for number in range(6):
        assert call(engine) == "ran"
        assert call(engine, tool="Edit", command="", file_path="/a", new_string=f"{number}") == "ran"


def test_a_look_in_between_does_not() -> None:
    """To read is not a change."""
    engine = guard()
    seen = []
    for number in range(3):
        seen.append(call(engine))
        call(engine, command=f"cat notes{number}.md")

    assert seen == ["ran", "ran", "told"]


def test_going_in_circles_is_noticed() -> None:
    """The same two changes in turn bring nothing new either."""
    engine = guard()
    seen = [call(engine, command=word) for _ in range(6) for word in ("touch a", "rm a")]

    assert seen[-1] == "denied"


def test_a_person_begins_the_count_anew() -> None:
    """Whoever says `again` means it."""
    engine = guard()
    for _ in range(4):
        call(engine)
    engine.decide_sync(prompt("again"))

    assert call(engine) == "ran"


def test_labels_are_no_part_of_a_call() -> None:
    """A description may change each time."""
    engine = guard()

    assert [call(engine, description=f"try {n}") for n in range(3)][-1] == "told"


@pytest.mark.parametrize("more", [{"tool": "TaskOutput"}, {"command": "sleep 5 && gh run view 3"}])
def test_what_is_there_to_be_asked_again_is_left_out(more: dict[str, Any]) -> None:
    """Waiting is not a loop."""
    engine = guard()

    assert {call(engine, **more) for _ in range(8)} == {"ran"}


def test_each_sub_agent_is_counted_for_itself() -> None:
    """Three of them may look at the same file."""
    engine = guard()

    assert {call(engine, agent=f"a{n}") for n in range(6)} == {"ran"}


def test_the_count_outlives_the_engine_and_holds_no_contents() -> None:
    """It is kept where hooks remember."""
    memory = MemoryInProcess()
    services = HookServices({Memory: memory})
    for _ in range(2):
        call(guard(services), command="cat secret.txt", brings="hunter2")

    assert call(guard(services), command="cat secret.txt", brings="hunter2") == "told"
    assert "secret" not in str(memory._values)
    assert "hunter2" not in str(memory._values)


def test_never_denied_if_so_wished() -> None:
    """By one option."""
    assert "denied" not in {call(engine) for engine in [guard(deny=0)] for _ in range(9)}


def test_whoever_is_denied_was_told_before() -> None:
    """Else it is a mistake in the policy."""
    with pytest.raises(ConfigError, match=r"config\.deny"):
        guard(warn=4, deny=4)
