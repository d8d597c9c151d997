"""Events, contexts and definitions of a registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from interlock.errors import UnknownEventError
from interlock.events.names import parse_event_name
from interlock.sdk.registry import HookRegistry
from interlock.sdk.registry_records import (
    HookContext,
    HookDefinition,
    HookEventType,
    HttpMethod,
    Inline,
    Shell,
    Webhook,
)
from interlock.sdk.results import CONTINUE


@pytest.mark.req("C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "C10", "C11", "C12", "C13", "C14", "X1")
def test_a_registry_knows_thirteen_events() -> None:
    """The ones its document lists, each of which the engine knows too."""
    assert [str(name) for name in HookEventType] == [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PrePromptSubmit",
        "PostUserMessage",
        "SessionStart",
        "SessionEnd",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "NotificationEvent",
        "StatusLine",
        "FileSuggestion",
    ]
    assert len({parse_event_name(name) for name in HookEventType}) == 13


@pytest.mark.req("C15")
def test_events_are_compared_and_hashed_by_what_they_are() -> None:
    """An event is a key, however it was come by."""
    assert {HookEventType.STATUS_LINE: 1}[HookEventType("StatusLine")] == 1
    assert len(set(HookEventType)) == 13


@pytest.mark.req("C18", "C19")
def test_a_context_has_ten_fields_of_which_four_are_always_there() -> None:
    """Event, session, directory and environment have values; the others are None until an event sets them."""
    context = msgspec.structs.asdict(HookContext())

    assert list(context) == [
        "event",
        "tool_name",
        "tool_input",
        "tool_output",
        "error",
        "user_prompt",
        "session_id",
        "agent_id",
        "cwd",
        "env",
    ]
    assert {name for name, value in context.items() if value is not None} == {
        "event",
        "session_id",
        "cwd",
        "env",
    }


@pytest.mark.req("C21", "C22", "C60", "C72")
def test_the_defaults_of_a_definition() -> None:
    """Before any tool, a function that continues, again and again, ten minutes, unnamed, for every tool."""
    definition = HookDefinition()

    assert definition.event is HookEventType.PRE_TOOL_USE
    assert isinstance(definition.handler, Inline)
    assert definition.handler.callback(HookContext()) is CONTINUE
    assert (definition.once, definition.timeout) == (False, 600.0)
    assert (definition.name, definition.tool_matcher) == (None, None)


@pytest.mark.req("C28", "C36", "C37")
def test_the_defaults_of_handlers() -> None:
    """A command says and is told nothing; a webhook posts; there are two methods."""
    shell, webhook = Shell("true"), Webhook("https://example.com")

    assert (shell.pass_context, shell.parse_result) == (False, False)
    assert (webhook.method, webhook.headers) == (HttpMethod.POST, {})
    assert list(HttpMethod) == ["POST", "PUT"]


@pytest.mark.req("C24", "C25")
@pytest.mark.parametrize(
    ("matcher", "tool", "meant"),
    [
        ("Bash*", "Bash", True),
        ("Bash*", "BashOutput", True),
        ("Bash*", "bash", False),
        ("Edit", "Edit", True),
        ("Edit", "MultiEdit", False),
        ("Edit", "edit", False),
        ("*", "Edit", True),
        ("", "Edit", False),
        ("Write|Edit", "Edit", False),
        ("*Edit", "MultiEdit", False),
    ],
)
def test_a_matcher_is_a_name_or_the_start_of_one(matcher: str, tool: str, meant: bool) -> None:
    """A star at the end is a prefix, anything else the whole name, and case counts."""
    assert HookDefinition(tool_matcher=matcher).meant_for(tool) is meant


@pytest.mark.req("C26")
def test_in_a_registry_a_matcher_does_not_keep_a_hook_from_events_without_a_tool() -> None:
    """Without a matcher it is for all; with one, the check needs a tool to check."""
    assert HookDefinition().meant_for("Edit")
    assert HookDefinition(tool_matcher="Edit").meant_for(None)


@pytest.mark.req("C60", "C72")
def test_an_http_request_has_thirty_seconds_unless_its_definition_says_otherwise() -> None:
    """As the document's table of limits has it; a command has ten minutes."""
    webhook = Webhook("https://example.com")

    assert HookDefinition(handler=webhook).timeout == 30.0
    assert HookDefinition(handler=webhook, timeout=90).timeout == 90.0
    assert HookDefinition(handler=Shell("true")).timeout == 600.0


@pytest.mark.parametrize("spelling", ["PreToolUse", "pre_tool_use", "preToolUse"])
def test_an_event_is_read_in_every_accepted_spelling(spelling: Any) -> None:
    """And becomes the one it means, also when a registry is asked for it."""
    registry = HookRegistry()
    registry.register(HookDefinition(event=spelling))

    assert HookDefinition(event=spelling).event is HookEventType.PRE_TOOL_USE
    assert HookContext(event=spelling).event is HookEventType(spelling) is HookEventType.PRE_TOOL_USE
    assert len(registry.hooks(spelling)) == 1


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: HookDefinition(event=_any("PreTolUse")), UnknownEventError, "did you mean `PreToolUse`"),
    (lambda: HookDefinition(event=_any("Stop")), ValueError, "a registry has no event `Stop`; use `Engine`"),
    (lambda: HookDefinition(event=_any(3)), TypeError, "`3` is not an event"),
    (lambda: HookContext(event=_any("PreTolUse")), UnknownEventError, "did you mean `PreToolUse`"),
    (lambda: HookEventType("PreTolUse"), UnknownEventError, "did you mean `PreToolUse`"),
    (lambda: HookDefinition(timeout=_any("5")), TypeError, "`'5'` is not a number; give seconds"),
    (lambda: HookDefinition(tool_matcher=_any(3)), TypeError, "`3` is not a tool_matcher; give the name"),
    (lambda: Shell(_any(3)), ValueError, "`3` is not a command; give `Shell` the text"),
    (lambda: Shell(" "), ValueError, "is not a command"),
    (lambda: HookDefinition(timeout=0), ValueError, "leaves no time to run"),
    (lambda: HookDefinition(timeout=-1), ValueError, "leaves no time to run"),
    (lambda: HookDefinition(timeout=float("nan")), ValueError, "leaves no time to run"),
    (lambda: HookDefinition(handler=_any(print)), TypeError, r"`handler=Inline\(function\)`"),
    (lambda: HookDefinition(handler=_any("ls")), TypeError, r"use `Shell\(command\)`"),
    (lambda: Inline(_any("ls")), TypeError, "cannot be called"),
    (lambda: Webhook("https://example.com", _any("GET")), ValueError, "`GET` is not a webhook method"),
    (lambda: HookRegistry().register(_any(print)), TypeError, "is not a `HookDefinition`; wrap it"),
]


@pytest.mark.parametrize(("make", "kind", "message"), WRONG)
def test_what_could_never_run_is_refused(
    make: Callable[[], object], kind: type[Exception], message: str
) -> None:
    """One sentence that names the fix, where the mistake is."""
    with pytest.raises(kind, match=message):
        make()


def test_a_method_is_taken_as_the_document_writes_it() -> None:
    """`Post` and `Put`."""
    assert Webhook("https://example.com", _any("Put")).method is HttpMethod.PUT


def _any(value: Any) -> Any:
    return value
