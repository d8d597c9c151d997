"""What a model's answer means: `{"ok": …}`, `{"nudge": …}`, `{"pass": …}` or a decision."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import JUDGED, EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.handlers.answer_fields import SHOWN, flag_field, garbage, text_field
from interlock.handlers.answers import read_answer

EXPECTED: Final = (
    '`{"ok": true}`, `{"ok": false, "reason": …}`, `{"nudge": …}`, `{"pass": true}` or a decision'
)
_STOPS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP})
_FENCE: Final = "```"
_UNEXPLAINED: Final = "the model objects and gave no reason"


def read_model(text: str, event: Event) -> Verdict:
    """Read an answer; raise HookFailedError when it is none.

    A model has read texts that others wrote: it may object and tell, but neither approve nor change anything.
    """
    fields = _object(text)
    if "ok" in fields:
        return _judged(fields, event)
    if "nudge" in fields:
        return nudged(text_field(fields, "nudge") or "", event)
    if "pass" in fields:
        flag_field(fields, "pass")
        return NO_OPINION
    found = read_answer(fields, event)
    vote = found.vote if found.vote >= Vote.ASK else Vote.ABSTAIN
    return Verdict(vote=vote, reason=found.reason, context=found.context, message=found.message)


def nudged(text: str, event: Event) -> Verdict:
    """A nudge sends a stop back with its text; elsewhere the model is told."""
    if not text.strip():
        return NO_OPINION
    return deny(text) if event.name in _STOPS else Verdict(context=text)


def _judged(fields: JsonObject, event: Event) -> Verdict:
    if flag_field(fields, "ok"):
        return NO_OPINION
    reason = text_field(fields, "reason") or _UNEXPLAINED
    # What has happened can no longer be denied, but the agent can hear of it.
    return deny(reason) if event.name in JUDGED else Verdict(context=reason)


def _object(text: str) -> JsonObject:
    """The one JSON object of an answer, also when it stands in a fence."""
    try:
        found: Any = msgspec.json.decode(_bare(text))
    except msgspec.DecodeError:
        found = None
    if not isinstance(found, dict):
        raise garbage(f"the model answered `{_shown(text)}`, expected {EXPECTED}")
    return found


def _bare(text: str) -> str:
    text = text.strip()
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    return text.removesuffix(_FENCE).partition("\n")[2]


def _shown(text: str) -> str:
    return " ".join(text.split())[:SHOWN]
