"""Secrets that do not reach the model."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.builtin_hooks.making import made

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.policy.hook_kind import HookServices
from interlock.redaction.redactor import Own, Redactor

KEY = "AKIA" + "J2E4X6Z8Q0W3R5T7"  # of no account
READ = ToolCall(name="Read", input={"file_path": "/x/.env"})


def after(output: Any, config: dict[str, Any] | None = None, **fields: Any) -> Decision:
    """What becomes of an output."""
    engine = made("secrets_out", "post_tool_use", config)
    name = fields.pop("name", EventName.POST_TOOL_USE)
    return engine.decide_sync(Event(name=name, tool=READ, tool_output=output, **fields))


def test_a_secret_is_replaced_and_all_else_stays() -> None:
    """The shape of the result is the host's; only the text changes."""
    output = {"type": "text", "file": {"content": f"id={KEY}\nport=1\n", "numLines": 2}}
    decision = after(output)

    assert decision.updated_output == {
        "type": "text",
        "file": {"content": "id=[secret:aws]\nport=1\n", "numLines": 2},
    }
    assert KEY not in msgspec.json.encode(decision).decode()


@pytest.mark.parametrize(
    "output",
    [
        None,
        "",
        "plain text",
        {"stdout": "ok", "code": 0},
        ["a", 1, None],
        {"stdout": "the password is asked for"},
    ],
)
def test_without_a_secret_nothing_is_said(output: Any) -> None:
    """The output is not touched, and nobody is bothered."""
    decision = after(output)

    assert decision.updated_output is msgspec.UNSET
    assert (decision.context, decision.messages, decision.evidence) == ((), (), ())


def test_the_model_learns_what_the_mark_stands_for() -> None:
    """Or it would write the mark into a file."""
    decision = after({"stdout": f"{KEY} and {KEY}"}, {"tell": True})

    assert "contains 2 secrets (aws), replaced" in decision.context[0]
    assert "do not write the placeholder anywhere" in decision.context[0]
    assert decision.messages == ("secrets_out: 2 secrets (aws) in the output of Read",)
    assert after({"stdout": KEY}, {"explain": False}).context == ()


def test_what_was_taken_out_is_recorded_without_it() -> None:
    """How many of which kind."""
    (kept,) = after({"stdout": KEY}).evidence

    assert (kept.kind, kept.data) == ("secrets_out", {"kinds": {"aws": 1}, "replaced": True})


def test_a_mark_that_was_there_before_is_not_counted() -> None:
    """A ledger that is read shows marks of its own."""
    (kept,) = after({"stdout": f"[secret:google] {KEY}"}).evidence

    assert kept.data["kinds"] == {"aws": 1}
    assert after({"stdout": "[secret:google]"}).evidence == ()


def test_an_error_cannot_be_changed_so_the_model_is_warned() -> None:
    """No host lets one be replaced."""
    decision = after(None, name=EventName.POST_TOOL_USE_FAILURE, error=f"denied for {KEY}")

    assert decision.updated_output is msgspec.UNSET
    assert decision.context[0].startswith("The error of Read shows 1 secret (aws). Do not repeat it")
    assert after(None, name=EventName.POST_TOOL_USE_FAILURE, error="no such file").context == ()


def test_the_users_own_patterns_count() -> None:
    """Those of `settings.redact`, with the fingerprints of this home."""
    redactor = Redactor(b"k" * 32, Own(patterns=("CUST-[0-9]+",)))
    engine = made("secrets_out", "post_tool_use", services=HookServices({Redactor: redactor}))
    event = Event(name=EventName.POST_TOOL_USE, tool=READ, tool_output={"kind": "CUST-123", "n": 1})

    output = engine.decide_sync(event).updated_output
    assert output["kind"].startswith("[secret:own:")
    assert output["n"] == 1


def test_a_trial_changes_nothing() -> None:
    """What would have been taken out stands in the trace."""
    engine = made("secrets_out", "post_tool_use", mode="shadow")
    decision = engine.decide_sync(Event(name=EventName.POST_TOOL_USE, tool=READ, tool_output=KEY))

    assert decision.updated_output is msgspec.UNSET
    assert decision.trace[0].evidence is not None
