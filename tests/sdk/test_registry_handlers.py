"""Programs and webhooks as hooks of a registry, run for real."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from tests.handlers.endpoint import Endpoint, serving

from interlock import HookRegistry
from interlock.sdk.registry_records import (
    HookContext,
    HookDefinition,
    HookEventType,
    HookHandler,
    HttpMethod,
    Inline,
    Shell,
    Webhook,
)
from interlock.sdk.results import CONTINUE, HookResult, ModifyInput, Reject

pytestmark = pytest.mark.deep

BASH = HookContext(tool_name="Bash", tool_input={"command": "ls"}, session_id="s1")


async def result_of(handler: HookHandler, ctx: HookContext = BASH, **fields: Any) -> HookResult:
    registry = HookRegistry(environ={**os.environ, "HOOK_API_KEY": "k1"})
    registry.register(HookDefinition(event=ctx.event, handler=handler, **fields))
    return await registry.execute(ctx.event, ctx)


def printing(value: Any) -> Shell:
    return Shell(f"echo '{json.dumps(value)}'", parse_result=True)


@pytest.mark.req("C32", "C45")
@pytest.mark.parametrize("result", [CONTINUE, Reject("no"), ModifyInput({"command": "pwd"})])
async def test_what_a_program_prints_is_the_result(result: HookResult) -> None:
    """All three forms, when the result is asked for."""
    assert await result_of(printing(result.to_json())) == result
    assert await result_of(Shell(printing(result.to_json()).command)) == CONTINUE


@pytest.mark.req("C43", "C45")
@pytest.mark.parametrize("value", ["Be brief.", ["a", 1], 3, None, False, {"prompt": "x"}, {"new_input": 1}])
async def test_a_new_input_is_any_json_value_at_prompts_too(value: Any) -> None:
    """From a program, a webhook and a function alike."""
    prompt = HookContext(event=HookEventType.PRE_PROMPT_SUBMIT, user_prompt="Explain.", tool_input="Explain.")
    with serving(Endpoint(body=json.dumps(ModifyInput(value).to_json()).encode())) as endpoint:
        for ctx in (BASH, prompt):
            for handler in (
                printing(ModifyInput(value).to_json()),
                Webhook(endpoint.url),
                Inline(lambda _: ModifyInput(value)),
            ):
                assert await result_of(handler, ctx) == ModifyInput(value)


@pytest.mark.req("C33")
@pytest.mark.parametrize("text", ["garbage", '{"Reject": {}}', "", '"Stop"', "3"])
async def test_garbage_on_standard_output_continues(text: str, caplog: pytest.LogCaptureFixture) -> None:
    """It is not a result, and the log says so."""
    with caplog.at_level(logging.WARNING):
        assert await result_of(Shell(f"printf %s '{text}'", parse_result=True), name="babble") == CONTINUE
    assert caplog.messages == (["Hook answer ignored, it is not a result: babble"] if text else [])


@pytest.mark.req("C34", "C35")
async def test_a_program_that_fails_rejects_with_the_words_of_the_document() -> None:
    """An exit code other than 0, and a program that cannot be started."""
    gone = HookContext(tool_name="Bash", cwd="/nonexistent/place")

    assert await result_of(Shell("echo bad >&2; exit 3")) == Reject("Hook failed: bad")
    rejected = await result_of(Shell("true"), gone)
    assert isinstance(rejected, Reject)
    assert rejected.reason.startswith("Hook error: ")


@pytest.mark.req("C49")
async def test_a_program_that_hangs_is_logged_and_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    """The exit it would have had does not count."""
    assert await result_of(Shell("sleep 60; exit 1"), name="sleeper", timeout=0.05) == CONTINUE
    assert caplog.messages == ["Hook timeout: sleeper"]


@pytest.mark.req("C18", "C19", "C28", "C29", "C30")
async def test_a_program_sees_the_context_and_runs_where_it_happened(tmp_path: Path) -> None:
    """All fields of the context on standard input, the event in variables, the directory as its own."""
    ctx = HookContext(
        event=HookEventType.POST_TOOL_USE_FAILURE,
        tool_name="Bash",
        tool_input={"command": "ls"},
        tool_output={"lines": 3},
        error="boom",
        user_prompt="hi",
        session_id="s1",
        agent_id="a1",
        cwd=tmp_path,
        env={"STAGE": "test", "LD_PRELOAD": "evil.so"},
    )
    await result_of(Shell("cat > context.json; echo $HOOK_EVENT $HOOK_TOOL_NAME $STAGE > words", True), ctx)

    document = json.loads((tmp_path / "context.json").read_text("utf-8"))
    assert (tmp_path / "words").read_text("utf-8") == "PostToolUseFailure Bash test\n"
    env = document["env"]
    assert (env["STAGE"], env["HOOK_SESSION_ID"], "LD_PRELOAD" in env) == ("test", "s1", False)
    told = {name: document[name] for name in ctx.__struct_fields__ if name != "env"}
    assert told == {
        "event": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_output": {"lines": 3},
        "error": "boom",
        "user_prompt": "hi",
        "session_id": "s1",
        "agent_id": "a1",
        "cwd": str(tmp_path),
    }


@pytest.mark.req("C19", "C30")
async def test_a_program_is_told_of_no_tool_where_there_is_none(tmp_path: Path) -> None:
    """The registry's own event names, and an input without a tool is still passed on."""
    ctx = HookContext(event=HookEventType.PRE_PROMPT_SUBMIT, tool_input={"a": 1}, cwd=tmp_path)
    await result_of(Shell("cat > context.json; echo $HOOK_EVENT ${HOOK_TOOL_NAME-none} > words", True), ctx)

    document = json.loads((tmp_path / "context.json").read_text("utf-8"))
    assert (tmp_path / "words").read_text("utf-8") == "PrePromptSubmit none\n"
    assert document["tool_input"] == {"a": 1}
    assert "tool_name" not in document


@pytest.mark.req("C38", "C39")
@pytest.mark.parametrize("result", [CONTINUE, Reject("no"), ModifyInput({"command": "pwd"})])
async def test_what_a_webhook_answers_is_the_result(result: HookResult) -> None:
    """The context is sent with the headers, and the body read as a result."""
    with serving(Endpoint(body=json.dumps(result.to_json()).encode())) as endpoint:
        handler = Webhook(endpoint.url, HttpMethod.PUT, {"Authorization": "Bearer ${HOOK_API_KEY}"})
        assert await result_of(handler) == result

    (request,) = endpoint.requests
    assert (request.method, request.headers["Authorization"]) == ("PUT", "Bearer k1")
    assert request.document["tool_input"] == {"command": "ls"}


@pytest.mark.req("C39", "C40", "C41")
async def test_a_webhook_continues_on_garbage_and_rejects_on_failure() -> None:
    """Outside 2xx and unreachable reject with the words of the document."""
    with serving(Endpoint(body=b"<html>")) as endpoint:
        assert await result_of(Webhook(endpoint.url)) == CONTINUE
        endpoint.status = 503
        assert await result_of(Webhook(endpoint.url)) == Reject("Webhook failed: 503 Service Unavailable")
        url = endpoint.url

    unreachable = await result_of(Webhook(url))
    assert isinstance(unreachable, Reject)
    assert unreachable.reason.startswith("Webhook error: ")
