"""A decision → the reply Claude Code understands at that event."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName, canonical_event_name
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.capabilities import EventCapability, Refusal, capability_of
from interlock.hosts.claude_code.read import attended
from interlock.hosts.degrade import possible_vote
from interlock.hosts.host import Reply

_NO_REASON: Final = "the policy gives no reason"
_NOBODY: Final = "a person must approve this, and nobody can be asked here"
BLOCKED: Final = 2
MAX_TEXT: Final = 10_000  # longer texts the host puts into a file and shows a piece of
_CUT: Final = "\n[cut: the text was longer than 10,000 characters]"


class Draft:
    """A reply in the making: fields at the top, the event's own fields, and what could not be said."""

    def __init__(self, event_name: str) -> None:
        self.event_name: Final = event_name
        self._top: Final[JsonObject] = {}
        self._own: Final[JsonObject] = {}
        self._messages: Final[list[str]] = []
        self._degraded: Final[list[str]] = []
        self._exit_code = 0
        self._stderr = ""
        self._printed = ""

    def say(self, field: str, text: str) -> None:
        """Set a text at the top."""
        self._top[field] = self.fitting(field, text)

    def say_own(self, field: str, text: str) -> None:
        """Set a text in the event's own part."""
        self._own[field] = self.fitting(field, text)

    def set_own(self, field: str, value: Any) -> None:
        """Set a value in the event's own part."""
        if value is None:
            raise AssertionError(f"a null in `{field}` would make the host drop the whole reply")
        self._own[field] = value

    def tell(self, text: str) -> None:
        """Add a message for the person."""
        self._messages.append(text)

    def print(self, text: str) -> None:
        """Print a text as it is, in place of a reply."""
        self._printed = self.fitting("stdout", text)

    def fail(self, reason: str) -> None:
        """End as blocked, whatever is printed."""
        self._exit_code = BLOCKED
        self._stderr = self.fitting("reason", reason)

    def degrade(self, sentence: str) -> None:
        """Note what the host cannot carry out."""
        self._degraded.append(sentence)

    def fitting(self, field: str, text: str) -> str:
        """The text, or as much of it as the host takes."""
        fitting = cut(text)
        if fitting is not text:
            self.degrade(f"`{field}` was cut to {MAX_TEXT} characters at {self.event_name}")
        return fitting

    def reply(self) -> Reply:
        """The reply as bytes; nothing to say prints nothing."""
        if self._messages:
            self.say("systemMessage", "\n".join(self._messages))
        fields = dict(self._top)
        if self._own:
            fields["hookSpecificOutput"] = {"hookEventName": self.event_name, **self._own}
        printed = self._printed.encode("utf-8", "replace")
        return Reply(
            exit_code=self._exit_code,
            stdout=_encode(fields) if fields else printed,
            stderr=self._stderr.encode("utf-8", "replace"),
            degraded=tuple(dict.fromkeys(self._degraded)),
        )


def cut(text: str) -> str:
    """The text itself if it fits, else its beginning and a note; counted as the host counts."""
    # The host counts UTF-16 units: at most two for each of our characters.
    if len(text) * 2 <= MAX_TEXT:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= MAX_TEXT * 2:
        return text
    return units[: (MAX_TEXT - len(_CUT)) * 2].decode("utf-16-le", "ignore") + _CUT


def _encode(fields: JsonObject) -> bytes:
    # ASCII only, so that a half character from a hook is still valid JSON.
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode("ascii")


FOR_THE_SUMMARY: Final = "Keep this through the summary:"
_CLOSED: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
# These always ask, unless the approval brings the answers with it.
_ASKS_ANYWAY: Final = frozenset({"AskUserQuestion", "ExitPlanMode"})
_HAS_A_PROMPT: Final = frozenset({Refusal.PERMISSION, Refusal.BEHAVIOR})
_MANAGED: Final = "policy_settings"  # a change to these settings the host always takes


def write_reply(event: Event, decision: Decision) -> Reply:
    """Say everything of a decision that the host can carry out, and note the rest."""
    try:
        return _draft(event, decision).reply()
    except (TypeError, ValueError, RecursionError):
        # Something a hook made is not JSON: the decision cannot be sent as it was taken.
        refusal = write_refusal(event.name, "a hook's change cannot be written as JSON; fix that hook")
        lost = f"the decision could not be written as JSON at {event.name}"
        return msgspec.structs.replace(refusal, degraded=(*refusal.degraded, lost))


def write_refusal(event_name: str, reason: str, *, closed: bool | None = None) -> Reply:
    """The reply when nothing was decided: a no before a tool call, else nothing, unless the caller chose."""
    # Without a name the answer is for a tool call; at any other event the host ignores that form.
    name = canonical_event_name(event_name) if event_name else EventName.PRE_TOOL_USE
    if not (name in _CLOSED if closed is None else closed):
        return Reply()
    return _draft(Event(name=name), Decision(vote=Vote.DENY, reason=reason)).reply()


def _draft(event: Event, decision: Decision) -> Draft:
    draft = Draft(event.name)
    capability = capability_of(event.name)
    vote = possible_vote(
        event.name,
        decision,
        can_stop=capability.refusal is not None and not _unstoppable(event),
        can_ask=capability.refusal in _HAS_A_PROMPT and attended(event),
        ending=capability.ending,
        note=draft.degrade,
    )
    if vote is Vote.DENY and capability.refusal is not None:
        _refuse(capability.refusal, draft, _denial(decision, event.name))
    elif capability.refusal is Refusal.PERMISSION:
        _permit(event, decision, vote, draft)
    elif capability.refusal is Refusal.BEHAVIOR:
        _answer_request(decision, vote, draft)
    _change_output(decision, capability, draft)
    _add_context(event, decision, capability, vote, draft)
    _tell(decision, capability, draft)
    return draft


def _denial(decision: Decision, event_name: str) -> str:
    """The reason as the agent reads it, which starts with what was denied."""
    reason = decision.reason or _NO_REASON
    reason = reason if decision.denied else f"{reason}; {_NOBODY}"
    denied = msgspec.structs.replace(decision, vote=Vote.DENY, reason=reason, event=event_name)
    return denied.feedback or ""


def _question(decision: Decision) -> str:
    return decision.reason or "the policy asks for a person's decision"


def _refuse(form: Refusal, draft: Draft, reason: str) -> None:
    if form is Refusal.PERMISSION:
        draft.set_own("permissionDecision", "deny")
        draft.say_own("permissionDecisionReason", reason)
    elif form is Refusal.BEHAVIOR:
        draft.set_own("decision", {"behavior": "deny", "message": draft.fitting("message", reason)})
    elif form is Refusal.ACTION:
        # There is no field for the reason, so the person reads it as a message.
        draft.set_own("action", "decline")
        draft.tell(reason)
    if form in {Refusal.BLOCK, Refusal.EXIT}:
        draft.say("decision", "block")
        draft.say("reason", reason)
    if form in {Refusal.EXIT, Refusal.FAILURE}:
        # At EXIT something is printed too, or the host would show its own command line to the model, and take
        # a reason like "no such file" for a hook that is not there.
        draft.fail(reason)


def _unstoppable(event: Event) -> bool:
    return event.name == EventName.CONFIG_CHANGE and event.extra.get("source") == _MANAGED


def _permit(event: Event, decision: Decision, vote: Vote, draft: Draft) -> None:
    if vote is Vote.ASK:
        draft.set_own("permissionDecision", "ask")
        draft.say_own("permissionDecisionReason", _question(decision))
    elif vote is Vote.ALLOW:
        draft.set_own("permissionDecision", "allow")
        if decision.reason:
            draft.say_own("permissionDecisionReason", decision.reason)
        if event.tool and event.tool.name in _ASKS_ANYWAY and decision.updated_input is None:
            draft.degrade(f"{event.tool.name} asks its question despite an approval")
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
        # The dialog is about to show: without an answer it does, and the person reads why.
        draft.tell(_question(decision))
    if decision.updated_input is not None:
        draft.degrade(f"the input cannot be changed without an approval at {draft.event_name}")


def _change_output(decision: Decision, capability: EventCapability, draft: Draft) -> None:
    if decision.updated_output is msgspec.UNSET:
        return
    if not capability.output:
        draft.degrade(f"the output cannot be changed at {draft.event_name}")
    elif decision.updated_output is None:
        draft.degrade(f"the output cannot be replaced by null at {draft.event_name}")
    else:
        draft.set_own("updatedToolOutput", decision.updated_output)


def _add_context(
    event: Event, decision: Decision, capability: EventCapability, vote: Vote, draft: Draft
) -> None:
    texts = list(decision.context)
    if decision.updated_prompt is not None and vote is not Vote.DENY:
        draft.degrade(f"the prompt cannot be changed at {event.name}: the new one is given as context")
        texts.append(f"The policy reads the prompt as:\n{decision.updated_prompt}")
    if not texts:
        return
    if capability.printed and vote is not Vote.DENY:
        # Never the text alone, since the host reads what looks like JSON as a reply.
        draft.print("\n\n".join([FOR_THE_SUMMARY, *texts]))
    elif not capability.context:
        draft.degrade(f"context does not reach the model at {event.name}")
    elif capability.ending and vote is not Vote.DENY and event.extra.get("stop_hook_active") is not False:
        # Context keeps the agent going like a block does: once is a nudge, twice is a loop.
        draft.degrade(f"context would make the agent continue at {event.name}")
    else:
        draft.say_own("additionalContext", "\n\n".join(texts))


def _tell(decision: Decision, capability: EventCapability, draft: Draft) -> None:
    if decision.messages and not capability.message:
        draft.degrade(f"messages are not shown at {draft.event_name}")
        return
    if decision.messages and capability.drawn:
        draft.print("\n".join(decision.messages))
        return
    for message in decision.messages:
        draft.tell(message)
