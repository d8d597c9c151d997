"""The pages Sessions, with all sessions and the timeline of one, and Call, with one decision."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.policy.allowing import Allowing
from interlock.web.decision_words import GAVE, Captured, Evidence, decision_word, fired_of
from interlock.web.page import Page, missing, render, seq_of
from interlock.web.policies import allowing_of_entry
from interlock.web.queries.calls import Call, Traced, call_of
from interlock.web.queries.differences import Line, differences, lines_of
from interlock.web.queries.entries import SeenSession, indexed, seen_session, seen_sessions
from interlock.web.queries.timeline import Item, text_of, timeline_of
from interlock.web.rendering import millis
from interlock.web.site import site_of

_FAILED: Final = frozenset({"error", "timeout"})
_LEAST_STEP: Final = 0.6  # percent
_MOST: Final = 2_000  # lines of one text; the ledger's page shows all


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One hook, as a line of the waterfall."""

    traced: Traced
    place: tuple[float, float]  # its begin and length, in percent of all steps
    colour: str
    marks: tuple[str, ...]
    evidence: tuple[Captured, ...] = ()
    changes: tuple[Line, ...] = ()


class Text(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    lines: tuple[str, ...]
    more: int = 0  # lines left out


class CallView(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, and the end of its call."""

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


def show_call(request: Request) -> Response:
    """Show a decision, by its seq or id."""
    with missing(LedgerError), site_of(request).reading() as ledger:
        found = call_of(ledger, request.path_params["name"])
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
        reason=_text_or_empty(body.get("reason")),
        rule=_text_or_empty(body.get("decided_by")),
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
        "sub-agent": _text_or_empty(body.get("agent_type")),
        "folder": _text_or_empty(body.get("cwd")),
        "host": _text_or_empty(body.get("host")),
        "permission mode": _text_or_empty(body.get("permission_mode")),
        "approval": _text_or_empty(body.get("approval")),
        "not understood": _text_or_empty(body.get("unread")),
        "policy": _text_or_empty(body.get("revision")),
        "ran for": millis(took) if took is not None else "",
    }
    return {name: value for name, value in facts.items() if value}


def _steps(trace: tuple[Traced, ...], given: JsonObject, evidence: Evidence) -> tuple[Step, ...]:
    whole = sum(one.duration_ms for one in trace)
    # If only one hook changed the input, the page shows the change once, below the steps.
    several = sum(one.updated_input is not None for one in trace) > 1
    kept = {one.hook: one.evidence for one in fired_of([{"hook": one.hook} for one in trace], evidence)}
    # A hook that ran again captured nothing new.
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


def step_place(begin: float, length: float, whole: float) -> tuple[float, float]:
    """Where a step begins and how long it is, in percent of all steps."""
    left = begin / whole * 100 if whole else 0.0
    width = max(length / whole * 100 if whole else 0.0, _LEAST_STEP)
    return round(min(left, 100 - width), 2), round(width, 2)


_VOTES: Final = frozenset({"abstain", "allow", "ask", "deny"})


def _texts_of(body: JsonObject) -> list[Text]:
    """The prompt, and what hooks told the model and the person."""
    found = [("Prompt", body.get("prompt")), ("For the model", body.get("context"))]
    found.append(("For the person", body.get("messages")))
    return [_cut(name, _lines(value)) for name, value in found if value]


def _outputs(body: JsonObject) -> list[Text]:
    output, error = body.get("tool_output"), body.get("error")
    found = [("Error", error)] if error else []
    if isinstance(output, dict):
        # An unset flag says nothing.
        found += [(f"Output: {name}", one) for name, one in output.items() if one not in ("", None, False)]
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


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_PAGE = 50


class SessionsView(msgspec.Struct, frozen=True, kw_only=True):
    """A page of sessions, the most recently active first."""

    sessions: tuple[SeenSession, ...]
    older: str | None
    lag: int


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """The timeline of one session, oldest first."""

    id: str
    seen: SeenSession | None
    moments: tuple[Item, ...]
    older: str | None


def show(request: Request) -> Response:
    site, before = site_of(request), seq_of(request.query_params.get("before"))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = seen_sessions(index.connection, limit=_PAGE + 1, before=before)
        lag = index.lag
    shown = found[:_PAGE]
    older = f"/sessions?{urlencode({'before': shown[-1].newest})}" if len(found) > _PAGE else None
    return render(request, "sessions", SessionsView(sessions=shown, older=older, lag=lag))


def show_one(request: Request) -> Response:
    """Show one session, by the host's id."""
    site, session = site_of(request), request.query_params.get("id", "")
    before = seq_of(request.query_params.get("before"))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        line = timeline_of(ledger, session, before=before)
        seen = seen_session(index.connection, session)
    if not line.items and seen is None:
        raise HTTPException(404, f"there is no session `{session}`; the page Sessions lists them")
    older = f"/session?{urlencode({'id': session, 'before': line.before})}" if line.before else None
    return render(request, "session", SessionView(id=session, seen=seen, moments=line.items, older=older))


PAGE = Page(
    name="sessions",
    title="Sessions",
    order=30,
    shows={"/sessions": show, "/session": show_one, "/calls/{name}": show_call},
)
