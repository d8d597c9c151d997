"""The answer of Claude Code hooks: `hookSpecificOutput` and the fields beside it."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import JUDGED, EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, Vote
from interlock.handlers.answer_fields import flag_field, garbage, object_field, text_field, wrong
from interlock.handlers.decision_answer import explained

# Any of these at the top makes an object a Claude Code answer; unknown keys beside them are ignored.
TOP_LEVEL: Final = frozenset(
    {
        "hookSpecificOutput",
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
        "terminalSequence",
        "async",
    }
)
LEGACY: Final = {"approve": Vote.ALLOW, "block": Vote.DENY}

# `defer` hands the call to somebody outside; the nearest thing that does not let it pass is to ask.
_PERMISSIONS: Final = {"allow": Vote.ALLOW, "deny": Vote.DENY, "ask": Vote.ASK, "defer": Vote.ASK}
_BEHAVIORS: Final = {"allow": Vote.ALLOW, "deny": Vote.DENY}

# Here a deny keeps the agent working, so "do not continue" is its opposite.
_ENDINGS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP, EventName.TEAMMATE_IDLE})

_INSIDE: Final = "hookSpecificOutput."

_Opinion = tuple[Vote, str | None]


def read_claude(fields: JsonObject, event: Event) -> Verdict:
    """Read the strictest thing the object says, with its changes and texts."""
    specific = _specific(fields, event)
    request = object_field(specific, "decision", inside=_INSIDE) or {}
    opinions = [_legacy(fields), _permission(specific), _behavior(request)]
    halted = flag_field(fields, "continue") is False
    stop_reason = text_field(fields, "stopReason")
    message = text_field(fields, "systemMessage")
    if halted and event.name in _ENDINGS:
        opinions = []
    elif halted and event.name in JUDGED:
        opinions.append((Vote.DENY, stop_reason))
        stop_reason = None
    vote, reason = max(opinions, key=lambda opinion: opinion[0], default=(Vote.ABSTAIN, None))
    return Verdict(
        vote=vote,
        reason=explained(vote, reason),
        updated_input=_updated_input(specific, request),
        updated_output=specific.get("updatedToolOutput", msgspec.UNSET),
        context=text_field(specific, "additionalContext", inside=_INSIDE),
        message=message or (stop_reason if halted else None),
    )


def plain_text(text: str, event: Event) -> Verdict:
    """What printed text that is no JSON means: context at three events, nothing elsewhere."""
    if event.name in _TEXT_IS_CONTEXT:
        return Verdict(context=text)
    return msgspec.structs.replace(NO_OPINION, ignored=True)


_TEXT_IS_CONTEXT: Final = frozenset(
    {EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION, EventName.SESSION_START}
)


def _specific(fields: JsonObject, event: Event) -> JsonObject:
    specific = object_field(fields, "hookSpecificOutput")
    if specific is None:
        return {}
    name = specific.get("hookEventName")
    if name != event.name:
        # An answer to another event is no answer to this one.
        raise garbage(f"`hookSpecificOutput.hookEventName` is `{name}`, expected `{event.name}`")
    return specific


def _legacy(fields: JsonObject) -> _Opinion:
    word = text_field(fields, "decision")
    reason = text_field(fields, "reason")
    if word is None:
        return Vote.ABSTAIN, None
    return _vote(LEGACY, "decision", word), reason


def _permission(specific: JsonObject) -> _Opinion:
    word = text_field(specific, "permissionDecision", inside=_INSIDE)
    reason = text_field(specific, "permissionDecisionReason", inside=_INSIDE)
    if word is None:
        return Vote.ABSTAIN, None
    return _vote(_PERMISSIONS, f"{_INSIDE}permissionDecision", word), reason


def _behavior(request: JsonObject) -> _Opinion:
    inside = f"{_INSIDE}decision."
    word = text_field(request, "behavior", inside=inside)
    message = text_field(request, "message", inside=inside)
    if word is None:
        return Vote.ABSTAIN, None
    return _vote(_BEHAVIORS, f"{inside}behavior", word), message


def _updated_input(specific: JsonObject, request: JsonObject) -> JsonObject | None:
    updated = object_field(specific, "updatedInput", inside=_INSIDE)
    requested = object_field(request, "updatedInput", inside=f"{_INSIDE}decision.")
    return updated if updated is not None else requested


def _vote(words: dict[str, Vote], name: str, word: str) -> Vote:
    if word not in words:
        raise wrong(name, word, " or ".join(f"`{known}`" for known in words))
    return words[word]
