"""Decisions, and what each hook did, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from interlock.events.decision import needs_approval
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.ledger.entry import Entry

_VOTES: Final = {"deny": "denied", "ask": "asked for approval", "allow": "allowed"}
GAVE: Final = {
    "context": "added context",
    "message": "showed a message",
    "prompt": "changed the prompt",
    "output": "changed the output",
}
_FAILED: Final = {"error": "failed", "timeout": "timed out"}
_RAN: Final = "ran"  # without effect

Evidence: TypeAlias = Sequence[tuple[str, int, str]]  # hook, seq and id of each piece


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of evidence."""

    seq: int
    path: str


class Fired(msgspec.Struct, frozen=True, kw_only=True):
    """A hook that ran."""

    hook: str
    did: tuple[str, ...]
    evidence: tuple[Captured, ...] = ()


def fired_of(trace: Any, evidence: Evidence = ()) -> tuple[Fired, ...]:
    """The hooks in the order they ran."""
    kept: dict[str, list[Captured]] = {}
    for hook, seq, name in evidence:
        kept.setdefault(hook, []).append(Captured(seq=seq, path=f"/ledger/{name}"))
    did: dict[str, list[str]] = {}  # a hook that ran again on a changed input is one hook
    for row in trace if isinstance(trace, list) else ():
        if isinstance(row, dict):
            did.setdefault(str(row.get("hook") or "-"), []).extend(deeds(row))
    return tuple(
        Fired(
            hook=hook,
            did=tuple(dict.fromkeys(words)) or (() if hook in kept else (_RAN,)),
            evidence=tuple(kept.get(hook, ())),
        )
        for hook, words in did.items()
    )


def deeds(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What a hook did, from its row of the trace; empty if it only ran."""
    words = []
    outcome, vote, gave = (row.get(name) for name in ("outcome", "vote", "gave"))
    if outcome in _FAILED:
        words.append(_FAILED[outcome] + (" and was ignored" if row.get("passed_open") else ""))
    if vote in _VOTES and not (outcome in _FAILED and row.get("passed_open")):
        words.append(_VOTES[vote])
    if row.get("updated_input") is not None or row.get("changed_input"):
        words.append("changed the input")
    words += [GAVE[one] for one in gave if one in GAVE] if isinstance(gave, list) else []
    if row.get("evidence") is not None:
        words.append("noted evidence")
    return tuple(f"shadow: {word}" for word in words) if row.get("shadow") else tuple(words)


def captured(decision: Entry, following: Iterable[Entry]) -> Evidence:
    """The evidence that the hooks of a decision captured: the entries right after it."""
    about = _about(decision, decision.body)
    found: list[tuple[str, int, str]] = []
    for entry in following:
        if entry.op != "evidence":
            break
        body = entry.body
        if _about(entry, body) != about:
            break
        found.append((str(body.get("hook")), entry.seq, entry.id))
    return found


def _about(entry: Entry, body: JsonObject) -> tuple[Any, ...]:
    return (entry.session_id, entry.event, entry.tool, body.get("tool_use_id"))


def call_text(tool: str, given: Any) -> str:
    """The main argument of a call, or all its arguments as JSON."""
    if not isinstance(given, dict) or not given:
        return ""
    spec = STANDARD_TOOLS.spec(tool)
    main = given.get(spec.main) if spec and spec.main else None
    return main if isinstance(main, str) else msgspec.json.encode(given).decode()


NEEDS_APPROVAL: Final = "needs approval"


def decision_word(decision: Any, body: JsonObject) -> str:
    """The decision, or `needs approval` for a call that is denied until somebody approves it."""
    word = str(decision or "")
    if word == "deny" and needs_approval(body.get("approval"), body.get("reason")):
        return NEEDS_APPROVAL
    return word
