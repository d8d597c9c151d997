"""A decision → the reply Claude Code understands at that moment."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName, canonical_event_name
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.draft import Draft
from interlock.hosts.claude_code.moments import Moment, Refusal, moment_of
from interlock.hosts.claude_code.refusals import refuse_as
from interlock.hosts.claude_code.settling import settle
from interlock.hosts.claude_code.wording import prompt_as_context, question_of
from interlock.hosts.host import Reply

_NOTHING: Final = Reply()
_ALLOW, _UNSET = Vote.ALLOW, msgspec.UNSET  # found sooner than members of a class or a module
FOR_THE_SUMMARY: Final = "Keep this through the summary:"
_CLOSED: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
# These always ask, unless the approval brings the answers with it.
_ASKS_ANYWAY: Final = frozenset({"AskUserQuestion", "ExitPlanMode"})


def write_reply(event: Event, decision: Decision) -> Reply:
    """Say all of a decision the host can carry out, and note the rest."""
    if _says_nothing(event, decision):
        return _NOTHING
    try:
        return _drafted(event, decision).reply()
    except (TypeError, ValueError, RecursionError):
        # Something a hook made is no JSON: the decision cannot be sent as it was taken.
        refusal = write_refusal(event.name, "a hook's change cannot be written as JSON; repair that hook")
        lost = f"the decision could not be written as JSON at {event.name}"
        return msgspec.structs.replace(refusal, degraded=(*refusal.degraded, lost))


def _says_nothing(event: Event, decision: Decision) -> bool:
    """What most decisions are: nobody objects, nothing is changed, nobody is told anything."""
    return (
        decision.vote <= _ALLOW
        and not (decision.auto_approve or decision.context or decision.messages)
        and decision.updated_input is None
        and decision.updated_prompt is None
        and decision.updated_output is _UNSET
        and moment_of(event.name).refusal is not None  # elsewhere a vote may have been lost
    )


def write_refusal(event_name: str, reason: str, *, closed: bool | None = None) -> Reply:
    """The reply when nothing was decided: a no before a tool call, else nothing, unless the caller chose."""
    # Without a name the answer is for a tool call; at any other event the host ignores that form.
    name = canonical_event_name(event_name) if event_name else EventName.PRE_TOOL_USE
    if not (name in _CLOSED if closed is None else closed):
        return Reply()
    return _drafted(Event(name=name), Decision(vote=Vote.DENY, reason=reason)).reply()


def _drafted(event: Event, decision: Decision) -> Draft:
    draft = Draft(event.name)
    moment = moment_of(event.name)
    vote = settle(event, decision, moment, draft)
    if vote is Vote.DENY and moment.refusal is not None:
        refuse_as(moment.refusal, draft, decision)
    elif moment.refusal is Refusal.PERMISSION:
        _permit(event, decision, vote, draft)
    elif moment.refusal is Refusal.BEHAVIOR:
        _answer_request(decision, vote, draft)
    _change_output(decision, moment, draft)
    _add_context(event, decision, moment, vote, draft)
    _tell(decision, moment, draft)
    return draft


def _permit(event: Event, decision: Decision, vote: Vote, draft: Draft) -> None:
    if vote is Vote.ASK:
        draft.set_own("permissionDecision", "ask")
        draft.say_own("permissionDecisionReason", question_of(decision))
    elif vote is Vote.ALLOW:
        draft.set_own("permissionDecision", "allow")
        if decision.reason:
            draft.say_own("permissionDecisionReason", decision.reason)
        if event.tool and event.tool.name in _ASKS_ANYWAY and decision.updated_input is None:
            draft.degrade(f"{event.tool.name} asks its question in spite of an approval")
    if decision.updated_input is not None:
        draft.set_own("updatedInput", decision.updated_input)


def _answer_request(decision: Decision, vote: Vote, draft: Draft) -> None:
    if vote is Vote.ALLOW:
        grant: JsonObject = {"behavior": "allow"}
        if decision.updated_input is not None:
            grant["updatedInput"] = decision.updated_input
        draft.set_own("decision", grant)
        return
    if vote is Vote.ASK:
        # The dialog is about to show: no answer lets it, and the person reads why.
        draft.tell(question_of(decision))
    if decision.updated_input is not None:
        draft.degrade(f"the input cannot be changed without an approval at {draft.event_name}")


def _change_output(decision: Decision, moment: Moment, draft: Draft) -> None:
    if decision.updated_output is msgspec.UNSET:
        return
    if not moment.output:
        draft.degrade(f"the output cannot be changed at {draft.event_name}")
    elif decision.updated_output is None:
        draft.degrade(f"the output cannot be replaced by null at {draft.event_name}")
    else:
        draft.set_own("updatedToolOutput", decision.updated_output)


def _add_context(event: Event, decision: Decision, moment: Moment, vote: Vote, draft: Draft) -> None:
    texts = list(decision.context)
    if decision.updated_prompt is not None and vote is not Vote.DENY:
        draft.degrade(f"the prompt cannot be changed at {event.name}: the new one is given as context")
        texts.append(prompt_as_context(decision.updated_prompt))
    if not texts:
        return
    if moment.printed and vote is not Vote.DENY:
        # Never the text alone: a host takes what looks like JSON for a reply.
        draft.print("\n\n".join([FOR_THE_SUMMARY, *texts]))
    elif not moment.context:
        draft.degrade(f"context does not reach the model at {event.name}")
    elif moment.ending and vote is not Vote.DENY and event.extra.get("stop_hook_active") is not False:
        # Context keeps the agent going like a block does: once is a nudge, twice is a loop.
        draft.degrade(f"context would keep the agent going again at {event.name}")
    else:
        draft.say_own("additionalContext", "\n\n".join(texts))


def _tell(decision: Decision, moment: Moment, draft: Draft) -> None:
    if decision.messages and not moment.message:
        draft.degrade(f"messages are not shown at {draft.event_name}")
        return
    if decision.messages and moment.drawn:
        draft.print("\n".join(decision.messages))
        return
    for message in decision.messages:
        draft.tell(message)
