"""`loop_guard` and `budget` deny calls, so a call they could not judge is denied too, and counted."""

from __future__ import annotations

from typing import Any, Final

import pytest
from tests.builtin_hooks.making import bash, made

from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Outcome, Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess

GUARDS: Final = ("loop_guard", "budget")
# Neither can make anything of these: a count that is none.
GARBAGE: Final[JsonObject] = {"calls": "many"}


class Stuck(MemoryInProcess):
    """A memory that gives up waiting, when it is read or only when it is written."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self._at = at

    def get(self, session_id: str, key: str) -> JsonObject:
        if self._at == "get":
            raise TimeoutError
        return super().get(session_id, key)

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        raise TimeoutError


def guard(kind: str, memory: MemoryInProcess, **entry: Any) -> Engine:
    return made(kind, "pre_tool_use", services=HookServices({Memory: memory}), name="guard", **entry)


def spoilt() -> MemoryInProcess:
    """A memory that holds what neither of them wrote."""
    memory = MemoryInProcess()
    memory.put("s", "guard", GARBAGE)
    return memory


def after(name: str) -> Event:
    tool = ToolCall(name="Bash", input={"command": "ls"})
    return Event(name=name, session_id="s", cwd="/", tool=None if name == "Stop" else tool, tool_output="a")


@pytest.mark.req("F01")
@pytest.mark.parametrize("kind", GUARDS)
def test_a_guard_that_crashes_before_a_call_denies_it(kind: str) -> None:
    """The agent reads which hook crashed, and the trace says that this was a failure and no judgement."""
    decision = guard(kind, spoilt()).decide_sync(bash("ls"))
    (row,) = decision.trace

    assert (decision.vote, decision.decided_by) == (Vote.DENY, "guard")
    assert str(decision.feedback).startswith("Tool denied: hook `guard` crashed: ")
    assert (row.outcome, row.vote, row.passed_open) == (Outcome.ERROR, Vote.DENY, False)
    assert decision.open_passes == 0


@pytest.mark.req("F01")
@pytest.mark.parametrize("at", ["get", "put"])
@pytest.mark.parametrize("kind", GUARDS)
def test_a_guard_that_times_out_before_a_call_denies_it(kind: str, at: str) -> None:
    """Whether it waited for what it knew or for what it had to keep."""
    decision = guard(kind, Stuck(at)).decide_sync(bash("ls"))
    (row,) = decision.trace

    assert (decision.vote, row.outcome, row.passed_open) == (Vote.DENY, Outcome.TIMEOUT, False)
    assert "hook `guard` gave no answer within" in str(decision.reason)


@pytest.mark.req("F01")
@pytest.mark.parametrize("kind", GUARDS)
def test_a_guard_for_which_no_time_is_left_denies_the_call(kind: str) -> None:
    """Others used up the event's time: that lets nothing pass, and the call was not counted as made."""
    memory = MemoryInProcess()
    decision = guard(kind, memory).decide_sync(bash("ls"), budget=0)

    assert (decision.vote, decision.trace[0].outcome) == (Vote.DENY, Outcome.TIMEOUT)
    assert "no time was left for hook `guard`" in str(decision.reason)
    assert memory.get("s", "guard") == {}


@pytest.mark.req("F03", "F05")
@pytest.mark.parametrize(
    ("kind", "moment"),
    [("loop_guard", "PostToolUse"), ("loop_guard", "PostToolUseFailure"), ("budget", "Stop")],
)
def test_where_nothing_is_left_to_stop_a_failure_passes_and_is_counted(kind: str, moment: str) -> None:
    """After a call and at the end of a turn a broken guard holds nobody up."""
    decision = guard(kind, spoilt()).decide_sync(after(moment))
    (row,) = decision.trace

    assert (decision.vote, decision.open_passes) == (Vote.ABSTAIN, 1)
    assert (row.outcome, row.passed_open) == (Outcome.ERROR, True)
    assert "hook `guard` crashed" in str(row.reason)


@pytest.mark.parametrize("kind", GUARDS)
def test_only_an_entry_of_the_users_opens_them(kind: str) -> None:
    """`on_failure: open` is a choice somebody wrote down; the pass is counted."""
    decision = guard(kind, spoilt(), on_failure="open").decide_sync(bash("ls"))

    assert (decision.denied, decision.open_passes) == (False, 1)


@pytest.mark.parametrize("kind", GUARDS)
def test_a_session_whose_memory_is_whole_is_not_touched(kind: str) -> None:
    """A guard is broken for the session whose memory is, and for no other."""
    engine = guard(kind, spoilt())

    assert engine.decide_sync(bash("ls")).denied
    assert not engine.decide_sync(bash("ls", session="other")).denied
