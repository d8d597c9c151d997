"""Nothing big is begun where no room is left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import bash, made

from interlock.builtin_hooks.calls.resource_check import Machine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote

FULL = {"disk_mb": 1e12, "memory_mb": 0}  # more than any disk has


@pytest.mark.req("M5")
def test_a_full_disk_holds_what_changes_something(tmp_path: Path) -> None:
    """With how much is left, how much is wanted, and what to do."""
    decision = made("resource_check", "pre_tool_use", FULL).decide_sync(bash("make build", tmp_path))

    assert decision.denied
    assert "MB left, and 1e+12 MB is required; free some space with `rm` or a `prune`, then" in (
        decision.reason or ""
    )


@pytest.mark.parametrize("command", ["ls -la", "du -sh .", "rm -r build", "rm a && rm b", "git gc"])
def test_what_only_reads_or_makes_room_runs(command: str, tmp_path: Path) -> None:
    """Or nobody could make any."""
    decision = made("resource_check", "pre_tool_use", FULL).decide_sync(bash(command, tmp_path))

    assert decision.vote is Vote.ABSTAIN


def test_making_room_is_no_cover_for_more(tmp_path: Path) -> None:
    """Every part of a text must be let."""
    engine = made("resource_check", "pre_tool_use", FULL)

    assert engine.decide_sync(bash("rm a; make build", tmp_path)).denied


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"disk_mb": 0, "memory_mb": 1e12},
            "of memory is free, and 1e+12 MB is required; stop a program that you started, then",
        ),
        (
            {"disk_mb": 0, "memory_mb": 0, "load": 0.001},
            "wait for each processor, and the limit is 0.001; let the running programs finish, then",
        ),
    ],
)
def test_memory_and_load(
    config: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the system tells them."""
    monkeypatch.setattr(os, "getloadavg", lambda: (5.0, 1.0, 1.0))
    decision = made("resource_check", "pre_tool_use", config).decide_sync(bash("make", tmp_path))

    assert said in (decision.reason or "")


def test_on_a_machine_with_room_nothing_is_said(tmp_path: Path) -> None:
    """Nearly always."""
    engine = made("resource_check", "pre_tool_use", {"disk_mb": 0.001, "memory_mb": 0.001})

    assert engine.decide_sync(bash("make", tmp_path)).vote is Vote.ABSTAIN


def test_it_may_ask_or_only_tell(tmp_path: Path) -> None:
    """A person decides, or the agent is warned and goes on."""
    asked = made("resource_check", "pre_tool_use", {**FULL, "action": "ask"})
    told = made("resource_check", "pre_tool_use", {**FULL, "action": "tell"})

    assert asked.decide_sync(bash("make", tmp_path)).vote is Vote.ASK
    decision = told.decide_sync(bash("make", tmp_path))
    assert (decision.vote, len(decision.context)) == (Vote.ABSTAIN, 1)


def test_at_the_start_of_a_session_it_is_a_word_to_the_agent(tmp_path: Path) -> None:
    """There is no call to hold yet."""
    engine = made("resource_check", "session_start", FULL)
    decision = engine.decide_sync(Event(name=EventName.SESSION_START, cwd=str(tmp_path)))

    assert "MB left" in decision.context[0]


def test_a_folder_that_cannot_be_looked_at_is_no_reason() -> None:
    """What nobody can measure holds nobody up."""
    engine = made("resource_check", "pre_tool_use", FULL)
    tool = ToolCall(name="Write", input={"file_path": "x", "content": ""})

    assert not engine.decide_sync(Event(name=EventName.PRE_TOOL_USE, cwd="/nowhere/\0", tool=tool)).denied


def test_one_look_a_second_is_enough() -> None:
    """A call costs no more than a comparison."""
    now = [0.0]
    looked = Machine(lambda: now[0])
    first = looked.measure("/")
    now[0] = 0.5
    assert looked.measure("/") is first
    now[0] = 1.5
    assert looked.measure("/") is not first


def test_nothing_to_look_at_and_a_pattern_nobody_can_read_are_mistakes() -> None:
    """Told where they stand."""
    with pytest.raises(ConfigError, match="nothing is checked"):
        made("resource_check", "pre_tool_use", {"disk_mb": 0, "memory_mb": 0})
    with pytest.raises(ConfigError, match=r"let\[0\]"):
        made("resource_check", "pre_tool_use", {"let": ["Bash("]})
