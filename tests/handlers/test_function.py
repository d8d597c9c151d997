"""Hooks that are Python functions."""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import Any

import pytest
from tests.handlers.view import EventView, bash_event

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Handler
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.handlers.function import FunctionHandler

PATIENCE = 60.0  # far more than any of these functions needs; never waited for


async def verdict_of(function: Any, event: Event | None = None, **options: Any) -> Verdict:
    handler = FunctionHandler(function, name="f", **options)
    return await handler.run(EventView(event or bash_event()), PATIENCE)


async def failure_of(function: Any, seconds: float = PATIENCE, **options: Any) -> HookFailedError:
    with pytest.raises(HookFailedError) as raised:
        await FunctionHandler(function, name="f", **options).run(EventView(bash_event()), seconds)
    return raised.value


def refuse(event: Event) -> Verdict:
    return deny(f"no {event.name}")


def refuse_later(event: Event) -> Any:
    return Refusing()(event)


class Refusing:
    """A hook that is an object."""

    async def __call__(self, event: Event) -> Verdict:
        return refuse(event)


@pytest.mark.req("C27", "C42")
def test_a_function_is_a_handler_known_by_where_it_stands() -> None:
    """It fits the engine's protocol, and its fingerprint survives a restart."""
    handler: Handler = FunctionHandler(refuse, name="refuse")

    assert (handler.kind, handler.judges, handler.instant, handler.patterns) == ("function", True, False, ())
    assert handler.fingerprint() == [__name__, "refuse", "refuse"]
    assert FunctionHandler(Refusing(), name="r").fingerprint() == [__name__, "Refusing", "r"]


@pytest.mark.req("C42")
@pytest.mark.parametrize(
    "function",
    [refuse, Refusing(), Refusing().__call__, functools.partial(refuse), refuse_later],
)
async def test_any_callable_is_asked_sync_or_async(function: Any) -> None:
    """Plain, async, partial, objects and what returns an awaitable: all are called with the event."""
    assert await verdict_of(function) == deny("no PreToolUse")


@pytest.mark.req("C42", "C43")
@pytest.mark.parametrize(
    ("returned", "verdict"),
    [
        (None, NO_OPINION),
        ({}, NO_OPINION),
        ("Continue", NO_OPINION),
        ({"Reject": {"reason": "r"}}, deny("r")),
        ({"decision": "ask", "reason": "r"}, Verdict(vote=Vote.ASK, reason="r")),
        (Verdict(context="c"), Verdict(context="c")),
    ],
)
async def test_every_form_of_answer_may_be_returned(returned: Any, verdict: Verdict) -> None:
    """A verdict, an answer of any dialect, or nothing."""
    assert await verdict_of(lambda event: returned) == verdict


@pytest.mark.req("C42")
@pytest.mark.parametrize("returned", [True, 1, "no", ["deny"], {"deny": True}])
async def test_what_is_no_answer_is_garbage(returned: Any) -> None:
    """A function that returns something else did not answer."""
    assert (await failure_of(lambda event: returned)).kind is FailureKind.GARBAGE


@pytest.mark.req("U39", "M8")
async def test_a_table_function_gets_the_document_the_use_id_and_a_context() -> None:
    """The three arguments of the agent SDKs, as positions."""
    seen: list[Any] = []

    async def hook(input_data: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        seen.extend((input_data, tool_use_id, context))
        return {}

    assert await verdict_of(hook, style="table") == NO_OPINION
    assert seen[0]["hook_event_name"] == "PreToolUse"
    assert seen[0]["tool_input"] == {"command": "ls"}
    assert seen[1:] == ["toolu_1", None]


@pytest.mark.req("U39")
async def test_a_table_function_answers_as_for_its_sdk() -> None:
    """Claude Code's form counts, with the spellings Python needs."""
    no = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}}

    assert (await verdict_of(lambda *given: no, style="table")).vote is Vote.DENY
    stopped = await verdict_of(lambda *given: {"continue_": False, "stopReason": "r"}, style="table")
    assert stopped == deny("r")
    assert await verdict_of(lambda *given: {}, Event(name="Stop"), style="table") == NO_OPINION


@pytest.mark.req("C42")
async def test_a_function_cannot_change_the_event_in_passing() -> None:
    """Writing into the argument changes a copy, so no input escapes the judges."""
    event = Event(name="PreToolUse", tool=bash_event().tool, tool_output={"o": [1]}, extra={"x": [1]})

    def meddle(given: Event) -> None:
        assert given.tool is not None
        given.tool.input["command"] = "rm"
        given.tool_output["o"].append(2)
        given.extra["x"].append(2)

    def meddle_in_table(document: dict[str, Any], *rest: Any) -> None:
        document["tool_input"]["command"] = "rm"

    await verdict_of(meddle, event)
    await verdict_of(meddle_in_table, event, style="table")

    assert event.tool is not None
    assert event.tool.input == {"command": "ls"}
    assert (event.tool_output, event.extra) == ({"o": [1]}, {"x": [1]})


@pytest.mark.req("C42")
@pytest.mark.parametrize("error", [RuntimeError("bad"), StopIteration(), SystemExit(3), TimeoutError("own")])
@pytest.mark.parametrize("is_async", [True, False])
async def test_whatever_a_function_raises_is_its_crash(error: BaseException, *, is_async: bool) -> None:
    """An exception, an exit or a timeout of its own ends the hook, not the chain."""

    def plain(event: Event) -> None:
        raise error

    async def awaited(event: Event) -> None:
        raise error

    failure = await failure_of(awaited if is_async else plain)

    assert failure.kind is FailureKind.CRASH
    if not isinstance(error, StopIteration):  # a coroutine turns that one into a RuntimeError
        assert failure.message == f"{type(error).__name__}: {error}"


@pytest.mark.req("C42")
async def test_a_failure_that_a_function_reports_itself_is_kept() -> None:
    """A function that runs something else may say how that failed."""

    def report(event: Event) -> None:
        raise HookFailedError(FailureKind.TRANSPORT, "unreachable")

    assert (await failure_of(report)).kind is FailureKind.TRANSPORT


@pytest.mark.req("C49", "C72", "D04")
def test_a_function_that_blocks_is_a_timeout_and_holds_nobody_up() -> None:
    """The loop answers in time and can be closed while the function still runs."""
    release, ended = threading.Event(), threading.Event()

    def block(event: Event) -> None:
        release.wait(60)
        ended.set()

    failure = asyncio.run(failure_of(block, 0.05))

    assert (failure.kind, failure.message) == (FailureKind.TIMEOUT, "no answer within 0.05 s")
    assert not ended.is_set()
    release.set()
    assert ended.wait(60)


@pytest.mark.req("C49")
async def test_an_async_function_that_never_ends_is_cancelled() -> None:
    """Its own cleanup runs when the budget is used up."""
    cleaned: list[bool] = []

    async def wait(event: Event) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(True)

    assert (await failure_of(wait, 0.05)).kind is FailureKind.TIMEOUT
    assert cleaned == [True]


@pytest.mark.req("C42")
async def test_many_functions_that_block_do_not_starve_the_next() -> None:
    """Each has a thread of its own, so there is no pool to fill."""
    release = threading.Event()
    stuck = [asyncio.ensure_future(verdict_of(lambda event: release.wait(60) and None)) for _ in range(40)]

    verdict = await verdict_of(refuse)

    release.set()
    assert verdict.vote is Vote.DENY
    assert [one.vote for one in await asyncio.gather(*stuck)] == [Vote.ABSTAIN] * 40
