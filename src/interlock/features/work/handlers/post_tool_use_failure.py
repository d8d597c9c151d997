"""`hooks.postToolUseFailure`: a tool call failed or was interrupted."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import PostToolUseFailureInput
from interlock.features.work.results import PostToolUseFailureResult

_LONGEST = 4_000  # characters of an error that are kept


def post_tool_use_failure(case: Case[PostToolUseFailureInput]) -> Answer:
    """The agent is in trouble until it goes on, and the failure is kept among its messages."""
    given = case.given
    content = {
        "event": "tool_use_failure",
        "toolName": given.tool_name,
        "error": given.error[:_LONGEST],
    }
    logged = case.note(case.session, content)
    return Answer(result=PostToolUseFailureResult(agent_updated=case.mark("error"), message_logged=logged))
