"""Chains of a registry, with functions as hooks."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from interlock import HookRegistry
from interlock.sdk.registry_records import HookContext, HookDefinition, HookEventType, Inline, Webhook
from interlock.sdk.results import CONTINUE, HookResult, ModifyInput, Reject

PRE = HookEventType.PRE_TOOL_USE
BASH = HookContext(tool_name="Bash", tool_input={"command": "ls"}, session_id="s")

Callback = Callable[[HookContext], Any]


def registry_of(*callbacks: Callback, **fields: Any) -> HookRegistry:
    registry = HookRegistry(environ={})
    for callback in callbacks:
        registry.register(HookDefinition(handler=Inline(callback), **fields))
    return registry


def appending(word: str) -> Callback:
    """A hook that adds a word to the command it sees."""
    return lambda ctx: ModifyInput({"command": f"{ctx.tool_input['command']} {word}"})


@pytest.mark.req("C47")
async def test_without_hooks_everything_continues() -> None:
    """No hook for the event, or none at all."""
    rejecting = registry_of(lambda ctx: Reject("no"))

    assert await HookRegistry().execute(PRE, BASH) == CONTINUE
    assert await rejecting.execute(HookEventType.SESSION_START, BASH) == CONTINUE


@pytest.mark.req("C42", "C46", "C48")
async def test_hooks_run_one_after_another_in_registration_order() -> None:
    """Sync and async alike, each with the context."""
    seen = []

    def noting(name: str) -> Callback:
        def note(ctx: HookContext) -> HookResult:
            seen.append((name, ctx.tool_name, ctx.session_id))
            return CONTINUE

        return note

    async def later(ctx: HookContext) -> HookResult:
        await asyncio.sleep(0)
        noting("b")(ctx)
        return CONTINUE

    registry = registry_of(noting("a"), later, noting("c"))

    assert await registry.execute(PRE, BASH) == CONTINUE
    assert seen == [(name, "Bash", "s") for name in "abc"]
    assert [len(registry.hooks(event)) for event in (PRE, HookEventType.SESSION_END)] == [3, 0]


@pytest.mark.req("C1", "C50")
async def test_the_first_rejection_ends_the_chain() -> None:
    """Its reason is the result, and nobody after it is asked."""
    asked = []

    def second(ctx: HookContext) -> HookResult:
        asked.append(ctx)
        return Reject("second")

    changing = appending("-l")
    registry = registry_of(changing, lambda ctx: Reject("first"), second)

    assert await registry.execute(PRE, BASH) == Reject("first")
    assert asked == []


@pytest.mark.req("C1", "C51", "C52")
async def test_a_changed_input_is_what_later_hooks_see_and_the_chain_gives() -> None:
    """Each hook builds on the one before; the caller's context stays as it was."""
    result = await registry_of(appending("-l"), appending("-a")).execute(PRE, BASH)

    assert result == ModifyInput({"command": "ls -l -a"})
    assert BASH.tool_input == {"command": "ls"}


@pytest.mark.req("C52")
async def test_an_input_that_ends_as_it_began_is_no_modification() -> None:
    """Changed and changed back, or replaced by an equal one, is continue."""
    registry = registry_of(appending("-l"), lambda ctx: ModifyInput({"command": "ls"}))

    assert await registry.execute(PRE, BASH) == CONTINUE


@pytest.mark.req("C42")
async def test_a_callback_cannot_change_the_input_behind_the_chains_back() -> None:
    """Writing into the context it was given changes nothing."""

    def scribble(ctx: HookContext) -> HookResult:
        ctx.tool_input["command"] = "rm -rf /"
        return CONTINUE

    assert await registry_of(scribble).execute(PRE, BASH) == CONTINUE
    assert BASH.tool_input == {"command": "ls"}


@pytest.mark.req("C49", "C72")
async def test_a_timeout_is_logged_and_continues(caplog: pytest.LogCaptureFixture) -> None:
    """The hook that hangs is passed over; the next one is still asked."""
    never = threading.Event()

    async def hang(ctx: HookContext) -> HookResult:
        await asyncio.Event().wait()
        return Reject("too late")

    def block(ctx: HookContext) -> HookResult:
        never.wait(60)
        return Reject("too late")

    registry = registry_of(hang, name="slow", timeout=0.01)
    registry.register(HookDefinition(handler=Inline(block), timeout=0.01))
    registry.register(HookDefinition(handler=Inline(appending("-l"))))

    with caplog.at_level(logging.WARNING, logger="interlock.sdk.registry"):
        result = await registry.execute(PRE, BASH)
    never.set()

    assert result == ModifyInput({"command": "ls -l"})
    assert caplog.messages == ["Hook timeout: slow", "Hook timeout: None"]


@pytest.mark.req("C25", "C26")
async def test_only_hooks_whose_matcher_means_the_tool_are_asked() -> None:
    """Without a tool in the context every one of them is."""
    registry = HookRegistry()
    for matcher in ["Edit", "Ba*", None]:
        registry.register(HookDefinition(handler=Inline(appending(str(matcher))), tool_matcher=matcher))
    lone = HookContext(tool_input={"command": "ls"})

    assert await registry.execute(PRE, BASH) == ModifyInput({"command": "ls Ba* None"})
    assert await registry.execute(PRE, lone) == ModifyInput({"command": "ls Edit Ba* None"})


@pytest.mark.req("C23", "C53", "X2")
async def test_cleanup_removes_every_once_definition_also_unfired_ones() -> None:
    """Running removes nothing by itself, and the others stay in their order."""
    registry = registry_of(appending("once"), once=True)
    registry.register(HookDefinition(handler=Inline(appending("always"))))
    registry.register(HookDefinition(event=HookEventType.SESSION_END, once=True))
    for _ in range(2):
        assert await registry.execute(PRE, BASH) == ModifyInput({"command": "ls once always"})

    registry.cleanup_once_hooks()

    assert await registry.execute(PRE, BASH) == ModifyInput({"command": "ls always"})
    assert registry.hooks(HookEventType.SESSION_END) == ()


@pytest.mark.req("C54")
async def test_there_is_no_limit_on_hooks_per_event() -> None:
    """Five hundred of them, and all are asked."""
    count = 500
    registry = registry_of(*[appending("x")] * count)

    result = await registry.execute(PRE, BASH)

    assert result == ModifyInput({"command": "ls" + " x" * count})


@pytest.mark.req("C71")
@pytest.mark.parametrize(
    ("path", "rejected"), [("src/a.py", False), ("conf/.env", True), ("aws/credentials", True)]
)
async def test_an_inline_hook_guards_sensitive_files(path: str, rejected: bool) -> None:
    """The custom permission check of the document."""

    def guard(ctx: HookContext) -> HookResult:
        target = ctx.tool_input["file_path"]
        if ".env" in target or "credentials" in target:
            return Reject("Cannot write to sensitive files")
        return CONTINUE

    registry = registry_of(guard, tool_matcher="Write")
    result = await registry.execute(PRE, HookContext(tool_name="Write", tool_input={"file_path": path}))
    other = await registry.execute(PRE, HookContext(tool_name="Read", tool_input={"file_path": path}))

    assert result == (Reject("Cannot write to sensitive files") if rejected else CONTINUE)
    assert other == CONTINUE


@pytest.mark.req("C5", "X5")
async def test_a_changed_prompt_is_given_as_the_new_input() -> None:
    """At the prompt there is no tool's input, so the result is the prompt to use."""
    registry = registry_of(
        lambda ctx: ModifyInput(f"{ctx.user_prompt} Be brief."), event=HookEventType.PRE_PROMPT_SUBMIT
    )
    ctx = HookContext(event=HookEventType.PRE_PROMPT_SUBMIT, user_prompt="Explain.")

    assert await registry.execute(ctx.event, ctx) == ModifyInput("Explain. Be brief.")


@pytest.mark.req("C42")
@pytest.mark.parametrize("event", HookEventType)
async def test_a_function_with_a_defect_rejects(event: HookEventType) -> None:
    """Raising, or answering what is not a result, never lets a call slip by."""

    def broken(ctx: HookContext) -> HookResult:
        raise KeyError("file_path")

    for callback in (broken, lambda ctx: 3):
        result = await registry_of(callback, event=event).execute(event, HookContext(event=event))
        assert result.is_reject


@pytest.mark.req("C45")
async def test_a_function_may_answer_in_the_form_of_scripts() -> None:
    """What a script would print is understood; nothing returned is not an objection."""
    assert await registry_of(lambda ctx: {"Reject": {"reason": "r"}}).execute(PRE, BASH) == Reject("r")
    assert await registry_of(lambda ctx: "Continue").execute(PRE, BASH) == CONTINUE
    assert await registry_of(lambda ctx: None).execute(PRE, BASH) == CONTINUE


async def test_an_ask_is_a_rejection_since_there_is_nobody_to_ask() -> None:
    """A hook that wants a person never passes for one that agrees."""
    answer = {"decision": "ask", "reason": "sure?"}

    assert await registry_of(lambda ctx: answer).execute(PRE, BASH) == Reject("sure?")


def test_a_definition_that_can_never_run_is_refused_when_registered() -> None:
    """A broken address is found before the first event."""
    with pytest.raises(ValueError, match="is not a webhook address"):
        HookRegistry().register(HookDefinition(handler=Webhook("ftp://example.com")))


@pytest.mark.req("C48")
async def test_a_chain_can_be_run_without_a_loop_and_beside_one() -> None:
    """Blocking callers get the same result, wherever they are."""
    registry = registry_of(appending("-l"))

    assert registry.execute_sync(PRE, BASH) == ModifyInput({"command": "ls -l"})
    assert await asyncio.to_thread(registry.execute_sync, PRE, BASH) == ModifyInput({"command": "ls -l"})
