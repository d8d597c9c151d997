"""One decision as a line of the Live page, told by the daemon or read from the ledger."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

import msgspec

from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.entry import Entry
from interlock.web.seen import Seen, seen

_SHORT: Final = 8  # characters by which people tell sessions apart
_LONGEST_ID: Final = 1_000  # characters; nobody follows a link to more
_LONGEST: Final = 300  # characters of a call or a reason; all of it is on the session's page


class DecisionLine(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown; every text is safe to show as it is."""

    ts: str
    session: str
    session_short: str
    session_path: str  # its page; the id itself, since what is shown of it may be written otherwise
    event: str
    actor: str
    tool: str
    call: str  # its main field, or what there is
    decision: str  # also `ticket`: denied until somebody approves
    reason: str
    hook: str
    approval: str


def line_of(told: dict[str, Any]) -> DecisionLine:
    """A decision the daemon tells of."""
    return _line(told, ts=datetime.fromtimestamp(told["ts"], UTC).isoformat(timespec="milliseconds"))


def line_from(entry: Entry) -> DecisionLine:
    """A decision the ledger keeps."""
    body = entry.body
    told = {**body, "actor": entry.actor, "input": body.get("tool_input")}
    return _line(told, ts=entry.ts)


def _line(told: dict[str, Any], *, ts: str) -> DecisionLine:
    word, approval = _text(told, "decision"), _text(told, "approval")
    tool, session = _text(told, "tool"), str(told.get("session_id") or "")
    return DecisionLine(
        ts=ts,
        session=_text(told, "session_id"),
        session_short=seen(session[:_SHORT]),
        session_path=_path(session),
        event=_text(told, "event"),
        actor=_text(told, "actor"),
        tool=tool,
        call=_call(tool, told.get("input")) or _text(told, "prompt"),
        decision="ticket" if approval and word == "deny" else word,
        reason=_text(told, "reason"),
        hook=_text(told, "decided_by"),
        approval=approval,
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
