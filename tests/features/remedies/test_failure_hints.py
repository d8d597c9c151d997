"""After an error the agent is told what worked before, or what it usually means."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Outcome, Vote
from interlock.features.remedies.service import Remedies, Remedy
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


class Before:
    """Knows what worked after one error."""

    def __init__(self, remedy: Remedy | None) -> None:
        self.remedy = remedy
        self.wanted = 0
        self.asked: list[tuple[str, str, str]] = []

    def want(self) -> None:
        """Somebody will ask."""
        self.wanted += 1

    def find(self, folder: str, tool: str, error: str) -> Remedy | None:
        """What worked."""
        self.asked.append((folder, tool, error))
        return self.remedy


def engine(before: Before | None = None, memory: MemoryInProcess | None = None, **config: Any) -> Engine:
    """An engine with this hook alone."""
    services = HookServices({Memory: memory or MemoryInProcess(), Remedies: before})
    return made("failure_hints", "post_tool_use_failure", config, services=services, name="h")


def said(
    given: Engine, error: str | None, *, name: str = "PostToolUseFailure", **more: Any
) -> tuple[str, ...]:
    """What the model is told after a call."""
    tool = ToolCall(name="Bash", input={"command": "x"})
    more = {"session_id": "s", "cwd": "/p", **more}
    decision = given.decide_sync(Event(name=name, tool=tool, error=error, **more))
    assert decision.vote is Vote.ABSTAIN
    assert {row.outcome for row in decision.trace} == {Outcome.SUCCESS}
    return decision.context


@pytest.mark.req("U2")
@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("Exit code 127\nbash: foo: command not found", "not installed"),
        ("ModuleNotFoundError: No module named 'x'", "dependency"),
        ("String to replace not found in file.", "read it again"),
        ("listen EADDRINUSE: address already in use :::3000", "another port"),
        ("cat: a: No such file or directory", "list the folder"),
        ("fatal: Unable to create '.git/index.lock': File exists.", "Another git"),
    ],
)
def test_what_an_error_usually_means_is_told(error: str, word: str) -> None:
    """To the model, as context."""
    (told,) = said(engine(), error)

    assert word in told


@pytest.mark.req("U2")
def test_what_worked_here_before_comes_first() -> None:
    """With how often the error was met; the index is wanted as soon as the policy is loaded."""
    before = Before(Remedy(text="`uv sync`, then the same again", seen=3, worked=2))
    given = engine(before)
    wanted = before.wanted
    (told,) = said(given, "ModuleNotFoundError: No module named 'x'")

    assert wanted == 1
    assert (
        told == "This error occurred here 3 times before. What worked then: `uv sync`, then the same again."
    )
    assert before.asked == [("/p", "Bash", "ModuleNotFoundError: No module named 'x'")]


def test_a_persons_own_hint_comes_before_all() -> None:
    """And can do without ours."""
    hint = {"match": "relation .* does not exist", "text": "Run `make migrate`."}
    given = engine(Before(Remedy(text="x", seen=1, worked=1)), hints=[hint])

    assert said(given, 'ERROR:  Relation "a" does not exist') == ("Run `make migrate`.",)
    assert said(engine(known=False), "bash: foo: command not found") == ()


def test_the_ledger_can_be_left_alone() -> None:
    """It is neither read nor asked then."""
    before = Before(Remedy(text="x", seen=1, worked=1))

    assert said(engine(before, ledger=False, known=False), "it failed") == ()
    assert (before.wanted, before.asked) == (0, [])


def test_the_same_error_is_spoken_of_twice_a_session() -> None:
    """Also when another daemon remembers; another error and another session have their own count."""
    memory = MemoryInProcess()
    times = [
        bool(said(engine(memory=memory), f"line {number}: foo: command not found")) for number in range(4)
    ]

    assert times == [True, True, False, False]
    assert said(engine(memory=memory), "bar: command not found")
    assert said(engine(memory=memory), "line 1: foo: command not found", session_id="t")


@pytest.mark.parametrize("error", ["", None, "something nobody has ever seen", "\x00\ud800"])
def test_an_error_nobody_knows_is_left_alone(error: str | None) -> None:
    """Nothing is better than a guess."""
    assert said(engine(Before(None)), error) == ()


def test_what_a_person_interrupted_is_no_error() -> None:
    """They know why."""
    assert said(engine(), "command not found", extra={"is_interrupt": True}) == ()


def test_a_result_that_is_an_error_is_one_and_a_file_that_speaks_of_one_is_none() -> None:
    """Where a host tells of errors in results."""
    failed = {"is_error": True, "content": "foo: command not found"}

    assert said(engine(), None, name="PostToolUse", tool_output=failed)
    assert said(engine(), None, name="PostToolUse", tool_output="see: foo: command not found") == ()


def test_a_pattern_that_cannot_run_does_not_load() -> None:
    """The mistake is told at its place."""
    with pytest.raises(ConfigError, match=r"hints\[0\]\.match"):
        engine(hints=[{"match": "(", "text": "x"}])
