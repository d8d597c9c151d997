"""One decision as a line of the Live page, told by the daemon or read from the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

import msgspec

from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.entry import Entry
from interlock.web.decision_words import NEEDS_APPROVAL, Evidence, Fired, decision_word, fired_of
from interlock.web.queries.calls import Calls
from interlock.web.rendering import Seen, seen

_SHORT: Final = 8  # characters by which people tell sessions apart
_LONGEST_ID: Final = 1_000  # characters; nobody follows a link to more
_LONGEST: Final = 300  # characters of a call or a reason; all of it is on the session's page
_HOOKS: Final = 8  # of one event; all of them are on its own page
_STRICT: Final = {"allow": 1, "ask": 2, NEEDS_APPROVAL: 3, "deny": 4}


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of one event; every text is safe to show as it is."""

    ts: str
    path: str  # the page of this event
    group: str  # the call it is of; empty: of none
    session: str
    session_short: str
    session_path: str  # its page; the id itself, since what is shown of it may be written otherwise
    event: str
    actor: str
    tool: str
    call: str  # its main field, or what there is
    decision: str  # also `needs approval`: denied until somebody approves
    reason: str
    approval: str
    hooks: tuple[Fired, ...]
    more: int  # hooks that are left out


class CallRow(msgspec.Struct, frozen=True, kw_only=True):
    """The events of one call, or one event that is of none."""

    lines: tuple[DecisionLine, ...]  # in the order they came

    @property
    def first(self) -> DecisionLine:
        return self.lines[0]

    @property
    def decision(self) -> DecisionLine:
        """The strictest of them."""
        return max(self.lines, key=lambda line: _STRICT.get(line.decision, 0))


def rows_of(lines: Sequence[DecisionLine]) -> list[CallRow]:
    """Lines in their order as rows, the newest call first."""
    rows: dict[str, list[DecisionLine]] = {}
    for place, line in enumerate(lines):
        rows.setdefault(line.group or str(place), []).append(line)
    return [CallRow(lines=tuple(found)) for found in reversed(rows.values())]


def line_of(told: dict[str, Any], calls: Calls) -> DecisionLine:
    """A decision the daemon tells of."""
    kept = [(one["hook"], one["seq"], one["id"]) for one in told["evidence"]]
    ts = datetime.fromtimestamp(told["ts"], UTC).isoformat(timespec="milliseconds")
    return _line(told, calls, kept, ts=ts, path=f"/calls/{told['id']}")


def line_from(entry: Entry, calls: Calls, kept: Evidence = ()) -> DecisionLine:
    """A decision the ledger keeps."""
    body = entry.body
    told = {**body, "actor": entry.actor, "input": body.get("tool_input")}
    return _line(told, calls, kept, ts=entry.ts, path=f"/calls/{entry.seq}")


def _line(told: dict[str, Any], calls: Calls, kept: Evidence, *, ts: str, path: str) -> DecisionLine:
    event, tool = str(told.get("event") or ""), _text(told, "tool")
    session = str(told.get("session_id") or "")
    fired = fired_of(told.get("trace"), kept)
    return DecisionLine(
        ts=ts,
        path=path,
        group=calls.name(event, told),
        session=_text(told, "session_id"),
        session_short=seen(session[:_SHORT]),
        session_path=_path(session),
        event=_text(told, "event"),
        actor=_text(told, "actor"),
        tool=tool,
        call=_call(tool, told.get("input")) or _text(told, "prompt"),
        decision=_short(decision_word(told.get("decision"), told)),
        reason=_text(told, "reason"),
        approval=_text(told, "approval"),
        hooks=tuple(msgspec.structs.replace(one, hook=_short(one.hook)) for one in fired[:_HOOKS]),
        more=max(len(fired) - _HOOKS, 0),
    )


def _path(session: str) -> Seen:
    return Seen(f"/session?id={quote(session, safe='')}" if len(session) <= _LONGEST_ID else "/sessions")


def _text(told: dict[str, Any], name: str) -> Seen:
    return _short(str(told.get(name) or ""))


def _call(tool: str, given: Any) -> Seen:
    if not isinstance(given, dict) or not given:
        return Seen("")
    spec = CLAUDE_CODE_TOOLS.spec(tool)
    main = given.get(spec.main) if spec and spec.main else None
    return _short(main if isinstance(main, str) else msgspec.json.encode(given).decode())


def _short(text: str) -> Seen:
    # Cut first: making a megabyte visible for a line of it would hold everybody up.
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return seen(cut.replace("\n", " ⏎ "))
