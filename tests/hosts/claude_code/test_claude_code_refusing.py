"""Answers when nothing could be decided or recorded."""

from __future__ import annotations

import pytest
from tests.hosts.claude_code.recorded import HOST, flaws

from interlock.hosts.claude_code.capabilities import CAPABILITIES
from interlock.hosts.host import Reply

DENY = (
    b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
    b'"permissionDecisionReason":"Tool denied: cannot record; free some space"}}'
)
REASON = "cannot record; free some space"


@pytest.mark.req("F01", "F02")
def test_a_tool_call_is_refused() -> None:
    """What cannot be decided or recorded does not happen."""
    assert HOST.refuse("PreToolUse", REASON) == Reply(stdout=DENY)


@pytest.mark.req("F01")
def test_a_permission_request_is_refused() -> None:
    """A dialog that cannot be judged is answered with no."""
    assert HOST.refuse("PermissionRequest", REASON) == Reply(
        stdout=b'{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":'
        b'{"behavior":"deny","message":"Tool denied: cannot record; free some space"}}}'
    )


@pytest.mark.req("D09", "F01")
def test_a_payload_without_a_name_is_answered_as_a_tool_call() -> None:
    """An unreadable payload may be a call; at any other event the host ignores this form."""
    assert HOST.refuse("", REASON) == Reply(stdout=DENY)


@pytest.mark.req("F03", "F05", "F07")
@pytest.mark.parametrize("name", sorted({*CAPABILITIES, "BrandNew"} - {"PreToolUse", "PermissionRequest"}))
def test_every_other_moment_passes(name: str) -> None:
    """After an action, at a stop, at a prompt and for observers there is nothing to hold up."""
    assert HOST.refuse(name, REASON) == Reply()


@pytest.mark.req("F04")
def test_a_prompt_is_refused_when_the_caller_says_so() -> None:
    """Whether a judge is bound to prompts is known to the caller alone."""
    assert HOST.refuse("UserPromptSubmit", "no policy", closed=True) == Reply(
        stdout=b'{"decision":"block","reason":"Prompt refused: no policy"}'
    )


@pytest.mark.parametrize("name", ["PreToolUse", "PermissionRequest", ""])
def test_the_caller_may_let_a_call_pass(name: str) -> None:
    """An explicit choice beats the moment's own."""
    assert HOST.refuse(name, REASON, closed=False) == Reply()


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_refusal_is_a_reply_the_host_takes(name: str) -> None:
    """A refusal in a form the host rejects would let the call run."""
    assert flaws(name, HOST.refuse(name, REASON, closed=True)) == []
