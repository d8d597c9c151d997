"""Laws of whether an agent is started again, with which words, and after how long."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.features.fleet.restarts import (
    NoRestart,
    Pauses,
    Restart,
    RunEnd,
    SessionRemains,
    decide_next,
)
from interlock.features.fleet.watch import with_prompt


def then(
    code: int = 0, *, stopped: bool = False, interrupted: int | None = None, **left: Any
) -> Restart | NoRestart:
    """What follows."""
    ended = RunEnd(code=code, seconds=1.0, stopped=stopped, interrupted=interrupted)
    return decide_next(ended, SessionRemains(**left))


@pytest.mark.parametrize(
    ("fields", "prompt"),
    [
        ({"code": 1}, None),
        ({"code": -9}, None),
        ({"code": 0, "effort": "continue"}, "continue"),
        ({"code": 1, "effort": "continue"}, "continue"),
        ({"code": -15, "stopped": True, "restart": "go on", "effort": "continue"}, "go on"),
        ({"code": -15, "stopped": True, "restart": "go on", "by_person": True}, "go on"),
        ({"code": 0, "restart": "go on"}, "go on"),
    ],
)
def test_what_is_not_done_goes_on(fields: dict[str, Any], prompt: str | None) -> None:
    """A crash as it was started first; a full window with what was written for it; an effort by its name."""
    found = then(**fields)

    assert isinstance(found, Restart)
    assert found.prompt == prompt


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"code": 0}, 0),
        ({"code": 0, "session": "s"}, 0),
        ({"code": 7, "finished": True}, 7),
        ({"code": 0, "by_person": True, "effort": "continue"}, 0),
        ({"code": -15, "by_person": True, "restart": "go on"}, 143),
        ({"code": -2, "interrupted": 2, "effort": "continue"}, 130),
        ({"code": 0, "interrupted": 15, "restart": "go on"}, 143),
    ],
)
def test_what_is_done_or_was_left_ends(fields: dict[str, Any], code: int) -> None:
    """A person's word is the last one, whatever is left to do."""
    found = then(**fields)

    assert isinstance(found, NoRestart)
    assert found.code == code


def test_a_stop_loop_goes_on_beyond_the_cap_of_the_host() -> None:
    """With the reason of the hook that would have sent the agent back."""
    found = then(loop="tests fail", effort="continue")

    assert isinstance(found, Restart)
    assert "tests fail" in (found.prompt or "")


def test_pauses_grow_up_to_a_minute_and_a_steady_run_begins_anew() -> None:
    """An agent that crashes at its start is not started a thousand times a second."""
    pauses = Pauses(1.0)

    assert [pauses.next(0.1) for _ in range(9)] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert pauses.next(61.0) == 0
    assert pauses.next(0.1) == 1
    assert [Pauses(0.0).next(0.1) for _ in range(3)] == [0, 0, 0]


def test_the_prompt_goes_where_the_command_says() -> None:
    """Else it is the last word; without one there is no empty word."""
    assert with_prompt(("claude", "-p", "{prompt}", "--verbose"), "a b") == (
        "claude",
        "-p",
        "a b",
        "--verbose",
    )
    assert with_prompt(("claude",), "a b") == ("claude", "a b")
    assert with_prompt(("claude", "{prompt}"), None) == ("claude",)
    assert with_prompt(("claude",), None) == ("claude",)
    assert with_prompt(("x", "--ask={prompt}"), "{prompt} $y") == ("x", "--ask={prompt} $y")


@pytest.mark.parametrize(
    ("command", "restarted"),
    [
        ("claude -p old --verbose", "claude -p NEW --verbose"),
        ("claude old", "claude NEW"),
        ("claude", "claude NEW"),
        ("claude -p --model opus old", "claude -p --model opus NEW"),
        ("claude -p --model=opus", "claude NEW -p --model=opus"),
        ("claude -p --allowedTools Bash Read", "claude NEW -p --allowedTools Bash Read"),
        ("claude -p --allowedTools Bash -- old", "claude -p --allowedTools Bash -- NEW"),
        ("claude --resume abc -p old", "claude --resume abc -p NEW"),
        ("/opt/bin/claude --debug --max-turns 3 -p old", "/opt/bin/claude --debug --max-turns 3 -p NEW"),
        ("env A=b claude -p old", "env A=b claude -p NEW"),
        ("interlock run -- claude -p old", "interlock run -- claude -p NEW"),
        ("npx @anthropic-ai/claude-code -p old", "npx @anthropic-ai/claude-code -p NEW"),
        ("other-agent --ask old", "other-agent --ask old NEW"),
    ],
)
def test_a_restart_prompt_takes_the_place_of_the_one_in_the_command(command: str, restarted: str) -> None:
    """Claude Code takes the first prompt of its command line: the old one must not be in the way."""
    assert " ".join(with_prompt(tuple(command.split()), "NEW")) == restarted
    assert " ".join(with_prompt(tuple(command.split()), None)) == command


@pytest.mark.parametrize(
    ("code", "told"),
    [(0, "it ended"), (3, "exited with code 3"), (-9, "SIGKILL"), (-100, "signal 100")],
)
def test_an_end_is_told_in_words(code: int, told: str) -> None:
    """With the name of the signal, where it has one."""
    assert told in RunEnd(code=code, seconds=1.0).reason
