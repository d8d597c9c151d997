"""Answers with a word: `{"decision": …}` of genesis hooks, `{"verb": …}` of normalised contracts."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Evidence, Verdict, Vote

SHOWN: Final = 80  # characters of a wrong value that a message repeats

PROMPT_EVENTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


def garbage(message: str) -> HookFailedError:
    """The failure of a hook whose answer cannot be read."""
    return HookFailedError(FailureKind.GARBAGE, message)


def wrong(name: str, value: Any, expected: str) -> HookFailedError:
    """The failure of a hook whose answer has a field of the wrong type or word."""
    shown = "null" if value is None else repr(value)
    hint = "; leave the field out if there is nothing to say" if value is None else ""
    return garbage(f"the answer's `{name}` is `{shown[:SHOWN]}`, expected {expected}{hint}")


def text_field(fields: JsonObject, name: str, *, inside: str = "") -> str | None:
    """A string, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, str):
        raise wrong(inside + name, value, "a string")
    return value


def object_field(fields: JsonObject, name: str, *, inside: str = "") -> JsonObject | None:
    """An object, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, dict):
        raise wrong(inside + name, value, "an object")
    return value


def flag_field(fields: JsonObject, name: str) -> bool | None:
    """A boolean, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, bool):
        raise wrong(name, value, "true or false")
    return value


def changed_input(name: str, value: Any, event: Event) -> JsonObject:
    """The verdict fields a new input sets: the prompt where a prompt is judged, else the tool's input."""
    if event.name not in PROMPT_EVENTS:
        if not isinstance(value, dict):
            raise wrong(name, value, "an object")
        return {"updated_input": value}
    prompt = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(prompt, str):
        raise wrong(name, value, "a string, or an object whose `prompt` is a string")
    return {"updated_prompt": prompt}


# `pass` is not an opinion, `inject` gives the model or the call something, `annotate` only leaves a note.
VERBS: Final = {
    "allow": Vote.ALLOW,
    "deny": Vote.DENY,
    "ask": Vote.ASK,
    "pass": Vote.ABSTAIN,
    "inject": Vote.ABSTAIN,
    "annotate": Vote.ABSTAIN,
}
LISTED: Final = "`allow`, `deny`, `ask`, `pass`, `inject` or `annotate`"


def check_verb(verb: str, verdict: Verdict) -> Verdict:
    """The verdict, if it contains exactly what its verb promises; else raise HookFailedError.

    A `pass` with a new input, for example, has two possible meanings.
    """
    given, noted = _gives(verdict), verdict.evidence is not None
    if verb == "inject" and not given:
        raise _unfit(verb, "contains neither a text for the model nor a change", "`pass` to say nothing")
    if verb == "annotate" and not noted:
        raise _unfit(verb, "carries no note", "an object with `kind` and what was seen")
    if verb in {"pass", "annotate"} and given:
        raise _unfit(verb, "contains a text for the model or a change", "`inject` to send it")
    if verb == "pass" and noted:
        raise _unfit(verb, "carries a note", "`annotate` to leave it")
    return verdict


def _gives(verdict: Verdict) -> bool:
    return (
        verdict.context is not None
        or verdict.updated_input is not None
        or verdict.updated_prompt is not None
        or verdict.updated_output is not msgspec.UNSET
    )


def _unfit(verb: str, what: str, expected: str) -> HookFailedError:
    return garbage(f"the answer `{verb}` {what}, expected {expected}")


MODIFY: Final = "modify"  # no opinion, and a new input
UNEXPLAINED: Final = "the hook gave no reason"


def read_decision(fields: JsonObject, event: Event) -> Verdict:
    """Read a decision with its reason, changes and evidence."""
    word = fields["decision"]
    vote = Vote.ABSTAIN if word == MODIFY else VERBS[word]
    verdict = Verdict(
        vote=vote,
        reason=reason_or_default(vote, text_field(fields, "reason")),
        updated_prompt=text_field(fields, "modified_prompt"),
        updated_output=fields.get("modified_output", msgspec.UNSET),
        context=text_field(fields, "context"),
        message=text_field(fields, "message"),
        evidence=_evidence(fields),
    )
    if word == MODIFY and "modified_input" not in fields:
        raise garbage(
            "the answer `modify` has no `modified_input`; expected the tool's complete new input there"
        )
    if "modified_input" in fields:
        change = changed_input("modified_input", fields["modified_input"], event)
        verdict = msgspec.structs.replace(verdict, **change)
    return verdict if word == MODIFY else check_verb(word, verdict)


def reason_or_default(vote: Vote, reason: str | None) -> str | None:
    """A vote that stops the agent always has a reason."""
    return reason or (UNEXPLAINED if vote >= Vote.ASK else None)


def _evidence(fields: JsonObject) -> Evidence | None:
    evidence = object_field(fields, "evidence")
    if evidence is None:
        return None
    kind = text_field(evidence, "kind", inside="evidence.")
    data = object_field(evidence, "data", inside="evidence.")
    if kind is None or data is None:
        raise wrong("evidence", evidence, "a string `kind` and an object `data`")
    return Evidence(kind=kind, data=data)


VERB: Final = "verb"
_NOTE: Final = "annotate"


def read_verb(fields: JsonObject, event: Event) -> Verdict:
    """Read a verb, its reason, context, new input and note; a field that is null is one left out."""
    # Programs write all fields of such a record, with null or an empty reason where there is nothing.
    answer = {name: value for name, value in fields.items() if value is not None or name == VERB}
    verb = answer[VERB]
    if not isinstance(verb, str) or verb not in VERBS:
        raise wrong(VERB, verb, LISTED)
    vote = VERBS[verb]
    verdict = Verdict(
        vote=vote,
        reason=reason_or_default(vote, text_field(answer, "reason") or None),
        context=text_field(answer, "inject_context"),
        evidence=_note(answer),
    )
    if "updated_input" in answer:
        change = changed_input("updated_input", answer["updated_input"], event)
        verdict = msgspec.structs.replace(verdict, **change)
    return check_verb(verb, verdict)


def _note(answer: JsonObject) -> Evidence | None:
    note = object_field(answer, _NOTE)
    if note is None:
        return None
    kind, body = text_field(note, "kind", inside=f"{_NOTE}."), note.get("body")
    if kind is None or not isinstance(body, str | dict):
        raise wrong(_NOTE, note, "a string `kind` and a `body` that is a text or an object")
    return Evidence(kind=kind, data=_data(body))


def _data(body: Any) -> JsonObject:
    return body if isinstance(body, dict) else {"body": body}
