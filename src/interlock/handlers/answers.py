"""Reads the answer of a hook; its shape decides which of the known forms it is."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from interlock.errors import HookFailedError
from interlock.events.event import Event
from interlock.events.hook import Dialect
from interlock.events.names import JUDGED, EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import NO_OPINION, Verdict, Vote, deny
from interlock.handlers.decision_answer import (
    LISTED,
    MODIFY,
    SHOWN,
    VERB,
    VERBS,
    changed_input,
    flag_field,
    garbage,
    object_field,
    read_decision,
    read_verb,
    reason_or_default,
    text_field,
    wrong,
)

CONTINUE: Final = "Continue"
TAGS: Final = frozenset({"Reject", "ModifyInput"})
# In a `HookRegistry` any JSON value may be an input, null too, so it stands in an object under this key.
NEW_INPUT: Final = "new_input"
REGISTRY: Final = "registry"


def read_tagged(fields: JsonObject, event: Event) -> Verdict:
    """Read an object whose one key says which result it is."""
    if "Reject" in fields:
        reason = text_field(object_field(fields, "Reject") or {}, "reason", inside="Reject.")
        if reason is None:
            raise wrong("Reject", fields["Reject"], "an object with a string `reason`")
        return deny(reason)
    change = object_field(fields, "ModifyInput") or {}
    if NEW_INPUT not in change:
        raise wrong("ModifyInput", fields["ModifyInput"], "an object with `new_input`")
    if event.host == REGISTRY:
        return Verdict(updated_input={NEW_INPUT: change[NEW_INPUT]})
    return Verdict(**changed_input("ModifyInput.new_input", change[NEW_INPUT], event))


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

# `defer` hands the call to somebody outside; asking is the nearest answer that does not allow it.
_PERMISSIONS: Final = {"allow": Vote.ALLOW, "deny": Vote.DENY, "ask": Vote.ASK, "defer": Vote.ASK}
_BEHAVIORS: Final = {"allow": Vote.ALLOW, "deny": Vote.DENY}

# At these events a deny keeps the agent working, so "do not continue" is its opposite.
_ENDINGS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP, EventName.TEAMMATE_IDLE})

_INSIDE: Final = "hookSpecificOutput."

_Opinion = tuple[Vote, str | None]


def read_claude(fields: JsonObject, event: Event) -> Verdict:
    """Read the strictest vote in the object, with its changes and texts."""
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
        reason=reason_or_default(vote, reason),
        updated_input=_updated_input(specific, request),
        updated_output=specific.get("updatedToolOutput", msgspec.UNSET),
        context=text_field(specific, "additionalContext", inside=_INSIDE),
        message=message or (stop_reason if halted else None),
    )


def plain_text(text: str, event: Event) -> Verdict:
    """The meaning of printed text that is not JSON: context at three events, nothing elsewhere."""
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
        # An answer to another event is not an answer to this one.
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


EXPECTED: Final = (
    '`"Continue"`, `{"Reject": {"reason": …}}`, `{"ModifyInput": {"new_input": …}}`, '
    '`{"decision": "allow|deny|ask|modify", …}`, `{"verb": …}` or `{"hookSpecificOutput": …}`'
)
_BOM: Final = b"\xef\xbb\xbf"


def parse_output(text: bytes, event: Event, dialect: Dialect) -> Verdict:
    """Read what a hook printed; what is not an answer is a failure, or allow where its dialect says so."""
    text = text.removeprefix(_BOM).strip()
    if not text:
        return NO_OPINION
    if dialect is Dialect.CLAUDE and not text.startswith(b"{") and text != b'"Continue"':
        return plain_text(text.decode("utf-8", "replace"), event)
    try:
        return read_answer(_decode(text), event)
    except HookFailedError:
        if dialect is Dialect.HOOKS_TOML:
            return msgspec.structs.replace(NO_OPINION, ignored=True)
        raise


def read_answer(value: Any, event: Event) -> Verdict:
    """Read a decoded answer of any dialect; raise HookFailedError when it is none."""
    if value in (CONTINUE, {}):
        return NO_OPINION
    if not isinstance(value, dict):
        raise garbage(f"the hook answered `{_excerpt(value)}`, expected {EXPECTED}")
    return _read_object(value, event)


def _read_object(fields: JsonObject, event: Event) -> Verdict:
    tags = TAGS & fields.keys()
    if tags:
        if len(fields) > 1:
            raise _mixed_forms(fields)
        return read_tagged(fields, event)
    if "decision" not in fields:
        if not TOP_LEVEL & fields.keys():
            # Last: a `verb` beside any other form is one of the keys that form ignores.
            if VERB in fields:
                return read_verb(fields, event)
            raise garbage(f"the hook answered `{_excerpt(fields)}`, expected {EXPECTED}")
        return read_claude(fields, event)
    decision = fields["decision"]
    if isinstance(decision, str) and (decision in VERBS or decision == MODIFY):
        if TOP_LEVEL & fields.keys():
            raise _mixed_forms(fields)
        return read_decision(fields, event)
    if isinstance(decision, str) and decision in LEGACY:
        return read_claude(fields, event)
    raise wrong("decision", decision, f"`{MODIFY}`, {LISTED}")


def _mixed_forms(fields: JsonObject) -> HookFailedError:
    # Either half might be the one that counts.
    return garbage(
        f"the hook answered in two forms at once (`{', '.join(fields)}`), expected one: {EXPECTED}"
    )


def _excerpt(value: Any) -> str:
    return repr(value)[:SHOWN]


def _decode(text: bytes) -> Any:
    try:
        # msgspec refuses NaN, trailing text and lone surrogates, but keeps the last of two equal keys.
        value = msgspec.json.decode(text)
        json.loads(text, object_pairs_hook=_unique)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise garbage(f"the hook's answer cannot be read: {error}; expected {EXPECTED}") from error
    return value


def _unique(pairs: list[tuple[str, Any]]) -> None:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise ValueError(f"`{name[:SHOWN]}` appears twice")
        names.add(name)
