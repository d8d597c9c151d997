"""One call: every hook that was asked as a waterfall, the input and what became of it, and what came back."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.policy.allowing import Allowing
from interlock.web.charts import step_place
from interlock.web.decision_words import GAVE, Captured, Evidence, decision_word, fired_of
from interlock.web.page import render
from interlock.web.policies import allowing_of_entry
from interlock.web.queries.calls import Call, Traced, call_of
from interlock.web.queries.differences import Line, differences, lines_of
from interlock.web.queries.timeline import text_of
from interlock.web.rendering import millis
from interlock.web.site import site_of

_FAILED: Final = frozenset({"error", "timeout"})
_MOST: Final = 2_000  # lines of one text; the entry in the ledger has them all


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One hook as a line of the waterfall."""

    traced: Traced
    place: tuple[float, float]  # on the line of all steps, in percent
    colour: str
    marks: tuple[str, ...]
    evidence: tuple[Captured, ...] = ()
    changes: tuple[Line, ...] = ()


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """A named text as lines."""

    name: str
    lines: tuple[str, ...]
    more: int = 0  # lines that are left out


class CallView(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, and the end of the call it let happen."""

    seq: int
    title: str
    line: str  # the call in one line
    event: str
    ts: str
    session: str
    decision: str
    reason: str
    rule: str
    allowing: Allowing | None
    decided_in: float | None  # milliseconds
    facts: dict[str, str]
    steps: tuple[Step, ...]
    skipped: tuple[str, ...]
    input: Text | None
    changes: tuple[Line, ...]
    texts: tuple[Text, ...]  # prompt, context, messages
    end: str
    end_seq: int | None
    end_steps: tuple[Step, ...]
    outputs: tuple[Text, ...]


def show(request: Request) -> Response:
    """The call that begins with an entry."""
    try:
        with site_of(request).reading() as ledger:
            found = call_of(ledger, request.path_params["name"])
    except LedgerError as error:
        raise HTTPException(404, str(error)) from None
    return render(request, "call", _view(found, allowing_of_entry(site_of(request).places, found.entry)))


def _view(found: Call, allowing: Allowing | None) -> CallView:
    entry, body = found.entry, found.body
    given, changed = _object(body.get("tool_input")), body.get("updated_input")
    skipped = body.get("skipped")
    return CallView(
        seq=entry.seq,
        title=entry.tool or entry.event or entry.op,
        line=text_of(body) if entry.tool else "",
        event=entry.event or "",
        ts=entry.ts,
        session=entry.session_id or "",
        decision=decision_word(entry.decision, body),
        reason=_text(body.get("reason")),
        rule=_text(body.get("decided_by")),
        allowing=allowing,
        decided_in=_number(body.get("duration_ms")),
        facts=_facts(found),
        steps=_steps(found.trace, given, found.evidence),
        skipped=tuple(map(str, skipped)) if isinstance(skipped, list) else (),
        input=_cut("Input", lines_of(given)) if given else None,
        changes=differences(given, changed) if isinstance(changed, dict) else (),
        texts=tuple(_texts_of(body)),
        end=found.end.event or "" if found.end else "",
        end_seq=found.end.seq if found.end else None,
        end_steps=_steps(found.end_trace, given, found.end_evidence),
        outputs=tuple(_outputs(found.end_body if found.end else body)),
    )


def _facts(found: Call) -> dict[str, str]:
    entry, body = found.entry, found.body
    took = _number(_object(found.end_body.get("extra")).get("duration_ms"))
    facts = {
        "actor": entry.actor,
        "sub-agent": _text(body.get("agent_type")),
        "folder": _text(body.get("cwd")),
        "host": _text(body.get("host")),
        "permission mode": _text(body.get("permission_mode")),
        "approval": _text(body.get("approval")),
        "not understood": _text(body.get("unread")),
        "policy": _text(body.get("revision")),
        "ran for": millis(took) if took is not None else "",
    }
    return {name: value for name, value in facts.items() if value}


def _steps(trace: tuple[Traced, ...], given: JsonObject, evidence: Evidence) -> tuple[Step, ...]:
    whole = sum(one.duration_ms for one in trace)
    # What one hook alone changed is shown once, below; of several each is shown where it stands.
    several = sum(one.updated_input is not None for one in trace) > 1
    kept = {one.hook: one.evidence for one in fired_of([{"hook": one.hook} for one in trace], evidence)}
    # A hook that ran again captured nothing more.
    return tuple(
        _step(one, whole, given, changes=several, kept=() if one.rejudged else kept.get(one.hook, ()))
        for one in trace
    )


def _step(one: Traced, whole: float, given: JsonObject, *, changes: bool, kept: tuple[Captured, ...]) -> Step:
    marks = {
        "failed" if one.outcome == "error" else "timed out": one.outcome in _FAILED,
        "and was ignored": one.passed_open,
        "changed the input": one.updated_input is not None,
        **{word: name in one.gave for name, word in GAVE.items()},
        "shadow": one.shadow,
        "ran again on the changed input": one.rejudged,
    }
    return Step(
        traced=one,
        place=step_place(one.begin_ms, one.duration_ms, whole),
        colour="failed" if one.outcome in _FAILED else one.vote if one.vote in _VOTES else "abstain",
        evidence=kept,
        marks=tuple(word for word, holds in marks.items() if holds),
        changes=differences(given, one.updated_input) if changes and one.updated_input is not None else (),
    )


_VOTES: Final = frozenset({"abstain", "allow", "ask", "deny"})


def _texts_of(body: JsonObject) -> list[Text]:
    """What was typed, and what hooks had to say to the model and to the person."""
    found = [("Prompt", body.get("prompt")), ("For the model", body.get("context"))]
    found.append(("For the person", body.get("messages")))
    return [_cut(name, _lines(value)) for name, value in found if value]


def _outputs(body: JsonObject) -> list[Text]:
    output, error = body.get("tool_output"), body.get("error")
    found = [("Error", error)] if error else []
    if isinstance(output, dict):
        # A flag that is not set tells nothing.
        told = {name: value for name, value in output.items() if value not in ("", None, False)}
        found += [(f"Output: {name}", value) for name, value in told.items()]
    elif output is not None:
        found.append(("Output", output))
    return [_cut(name, _lines(value)) for name, value in found]


def _lines(value: Any) -> list[str]:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [line for one in value for line in one.split("\n")]
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return text.removesuffix("\n").split("\n")


def _cut(name: str, lines: list[str]) -> Text:
    return Text(name=name, lines=tuple(lines[:_MOST]), more=max(len(lines) - _MOST, 0))


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
