"""The answer of genesis hooks: `{"decision": "allow|deny|ask|modify|pass|inject|annotate", …}`."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.events.verdict import Evidence, Verdict, Vote
from interlock.handlers.answer_fields import changed_input, garbage, object_field, text_field, wrong
from interlock.handlers.verbs import VERBS, kept_to

MODIFY: Final = "modify"  # no opinion, and a new input
UNEXPLAINED: Final = "the hook gave no reason"


def read_decision(fields: JsonObject, event: Event) -> Verdict:
    """Read a decision with its reason, changes and evidence."""
    word = fields["decision"]
    vote = Vote.ABSTAIN if word == MODIFY else VERBS[word]
    verdict = Verdict(
        vote=vote,
        reason=explained(vote, text_field(fields, "reason")),
        updated_prompt=text_field(fields, "modified_prompt"),
        updated_output=fields.get("modified_output", msgspec.UNSET),
        context=text_field(fields, "context"),
        message=text_field(fields, "message"),
        evidence=_evidence(fields),
    )
    if word == MODIFY and "modified_input" not in fields:
        raise garbage(
            "the answer `modify` carries no `modified_input`, expected the tool's whole new input there"
        )
    if "modified_input" in fields:
        change = changed_input("modified_input", fields["modified_input"], event)
        verdict = msgspec.structs.replace(verdict, **change)
    return verdict if word == MODIFY else kept_to(word, verdict)


def explained(vote: Vote, reason: str | None) -> str | None:
    """Who is stopped is always told something."""
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
