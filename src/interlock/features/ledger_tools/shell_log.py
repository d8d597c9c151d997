"""The shell calls of a ledger, each with when it began, how long it took and how it ended."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

import msgspec

from interlock.effects.tools.fields import commands_of
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.ledger.entry import Entry

_ENDS: Final = frozenset(
    {EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.PERMISSION_DENIED}
)
_BEGINS: Final = frozenset({"decision", "refused", "gap"})
_COMMAND: Final = "command"
_RECEIPT: Final = "receipt"
_REMEMBERED: Final = 10_000  # ends whose beginning has not been met yet


class ShellOutcome(StrEnum):
    """How a command ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    DENIED = "denied"  # by a hook
    REFUSED = "refused"  # by the host, after every hook had allowed it
    OPEN = "open"  # nobody saw its end


class ShellCall(msgspec.Struct, frozen=True, kw_only=True):
    """One command, as far as the ledger tells of it."""

    seq: int  # the entry it begins with
    started: str
    ended: str | None
    duration_ms: float | None  # as the host tells it, else by the times of the two entries
    outcome: ShellOutcome
    command: str | None  # None: it was refused before it could be read
    reason: str | None  # why it was denied, or its error
    actor: str
    session_id: str
    tool: str
    tool_use_id: str | None
    cwd: str | None


def shell_log(entries: Iterable[Entry]) -> Iterator[ShellCall]:
    """The calls in entries that come newest first, in that order: an end is met before its beginning."""
    ends: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        if _ends(entry) and _may_be_shell(entry):
            ends[_place(entry)] = entry
            if len(ends) > _REMEMBERED:
                del ends[next(iter(ends))]
        elif _begins(entry) and _is_shell(entry):
            yield _call(entry, ends.pop(_place(entry), None))


def _begins(entry: Entry) -> bool:
    if entry.op == _RECEIPT:  # of a call that a Python agent makes itself
        return entry.event is None and entry.body.get("status") == "prepared"
    return entry.event == EventName.PRE_TOOL_USE and entry.op in _BEGINS


def _ends(entry: Entry) -> bool:
    if entry.op == _RECEIPT:
        return entry.event is None and entry.body.get("status") in {"succeeded", "failed"}
    return entry.event in _ENDS


def _may_be_shell(entry: Entry) -> bool:
    spec = STANDARD_TOOLS.spec(entry.tool or "")
    return entry.tool is not None and (spec is None or spec.main == _COMMAND)


def _is_shell(entry: Entry) -> bool:
    """Whether a shell runs the text of a call: a tool known to be one, or one that was given a command."""
    known = STANDARD_TOOLS.spec(entry.tool or "") is not None
    return _may_be_shell(entry) and (known or _command(entry.body) is not None)


def _place(entry: Entry) -> tuple[str, str]:
    """What ties both ends of a call: the host's id of it, or where it has none what was run."""
    body = entry.body
    use_id = body.get("tool_use_id")
    return entry.session_id or "", str(use_id) if use_id else f"\0{_command(body)}"


def _call(begun: Entry, end: Entry | None) -> ShellCall:
    body = begun.body
    denied = begun.decision == "deny" and end is None
    reason = body.get("reason") if denied else _error(end)
    return ShellCall(
        seq=begun.seq,
        started=begun.ts,
        ended=end.ts if end else None,
        duration_ms=_duration(begun, end),
        outcome=ShellOutcome.DENIED if denied else _outcome(end),
        command=_command(body),
        reason=reason if isinstance(reason, str) else None,
        actor=begun.actor,
        session_id=begun.session_id or "",
        tool=begun.tool or "",
        tool_use_id=body.get("tool_use_id"),
        cwd=body.get("cwd"),
    )


def _command(body: JsonObject) -> str | None:
    """What ran: the input as the hooks left it."""
    given = body.get("updated_input") or body.get("tool_input")
    return commands_of(given) if isinstance(given, dict) else None


def _outcome(end: Entry | None) -> ShellOutcome:
    if end is None:
        return ShellOutcome.OPEN
    if end.event == EventName.POST_TOOL_USE or end.body.get("status") == "succeeded":
        return ShellOutcome.SUCCEEDED
    if end.event == EventName.PERMISSION_DENIED or (end.op == _RECEIPT and _error(end) == "refused"):
        return ShellOutcome.REFUSED
    return ShellOutcome.INTERRUPTED if _extra(end).get("is_interrupt") is True else ShellOutcome.FAILED


def _error(end: Entry | None) -> str | None:
    if end is None or end.event == EventName.POST_TOOL_USE:
        return None
    found = end.body.get("error") or _extra(end).get("reason")
    return found if isinstance(found, str) else None


def _duration(begun: Entry, end: Entry | None) -> float | None:
    if end is None or end.event == EventName.PERMISSION_DENIED:
        return None
    told = _extra(end).get("duration_ms")
    if isinstance(told, int | float) and not isinstance(told, bool) and told >= 0:
        return float(told)
    taken = dt.datetime.fromisoformat(end.ts) - dt.datetime.fromisoformat(begun.ts)
    return max(taken.total_seconds() * 1000, 0.0)  # clocks are set back


def _extra(end: Entry) -> JsonObject:
    found = end.body.get("extra")
    return found if isinstance(found, dict) else {}
