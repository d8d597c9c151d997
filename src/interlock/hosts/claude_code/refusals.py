"""Saying no to Claude Code, in the form each moment takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interlock.events.decision import Decision
from interlock.hosts.claude_code.draft import Draft
from interlock.hosts.claude_code.moments import Refusal
from interlock.hosts.claude_code.wording import denial_of


def refuse_as(form: Refusal, draft: Draft, decision: Decision) -> None:
    """Put a no into the draft."""
    _FORMS[form](draft, decision)


def _permission(draft: Draft, decision: Decision) -> None:
    draft.set_own("permissionDecision", "deny")
    draft.say_own("permissionDecisionReason", denial_of(decision, draft.event_name))


def _behavior(draft: Draft, decision: Decision) -> None:
    message = draft.fitting("message", denial_of(decision, draft.event_name))
    draft.set_own("decision", {"behavior": "deny", "message": message})


def _action(draft: Draft, decision: Decision) -> None:
    # There is no field for the reason, so the person reads it as a message.
    draft.set_own("action", "decline")
    draft.tell(denial_of(decision, draft.event_name))


def _block(draft: Draft, decision: Decision) -> None:
    draft.say("decision", "block")
    draft.say("reason", denial_of(decision, draft.event_name))


def _exit(draft: Draft, decision: Decision) -> None:
    # With nothing printed the host would show its own command line to the model, and take a
    # reason like "no such file" for a hook that is not there.
    _block(draft, decision)
    draft.fail(denial_of(decision, draft.event_name))


def _failure(draft: Draft, decision: Decision) -> None:
    draft.fail(denial_of(decision, draft.event_name))


_FORMS: Final[dict[Refusal, Callable[[Draft, Decision], None]]] = {
    Refusal.PERMISSION: _permission,
    Refusal.BEHAVIOR: _behavior,
    Refusal.ACTION: _action,
    Refusal.BLOCK: _block,
    Refusal.EXIT: _exit,
    Refusal.FAILURE: _failure,
}
