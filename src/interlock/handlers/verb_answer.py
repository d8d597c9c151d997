"""The answer of normalised contracts: `{"verb": …}` with what the verb carries."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.events.verdict import Evidence, Verdict
from interlock.handlers.answer_fields import changed_input, object_field, text_field, wrong
from interlock.handlers.decision_answer import explained
from interlock.handlers.verbs import LISTED, VERBS, kept_to

VERB: Final = "verb"
_NOTE: Final = "annotate"


def read_verb(fields: JsonObject, event: Event) -> Verdict:
    """Read a verb, its reason, context, new input and note; a field that is null is one left out."""
    # Such a record is written whole: whoever has nothing to say writes null, or an empty reason.
    said = {name: value for name, value in fields.items() if value is not None or name == VERB}
    verb = said[VERB]
    if not isinstance(verb, str) or verb not in VERBS:
        raise wrong(VERB, verb, LISTED)
    vote = VERBS[verb]
    verdict = Verdict(
        vote=vote,
        reason=explained(vote, text_field(said, "reason") or None),
        context=text_field(said, "inject_context"),
        evidence=_note(said),
    )
    if "updated_input" in said:
        change = changed_input("updated_input", said["updated_input"], event)
        verdict = msgspec.structs.replace(verdict, **change)
    return kept_to(verb, verdict)


def _note(said: JsonObject) -> Evidence | None:
    note = object_field(said, _NOTE)
    if note is None:
        return None
    kind, body = text_field(note, "kind", inside=f"{_NOTE}."), note.get("body")
    if kind is None or not isinstance(body, str | dict):
        raise wrong(_NOTE, note, "a string `kind` and a `body` that is a text or an object")
    return Evidence(kind=kind, data=_data(body))


def _data(body: Any) -> JsonObject:
    return body if isinstance(body, dict) else {"body": body}
