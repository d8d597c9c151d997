"""A decision for people and for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.output import columns, printable, vote_word
from interlock.events.decision import Decision, TraceRow
from interlock.events.verdict import Outcome, Vote

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also list the rules that did not match.")]


def as_document(decision: Decision) -> dict[str, Any]:
    """The decision as JSON values."""
    document: dict[str, Any] = {
        "decision": decision.outcome,
        "reason": decision.reason,
        "feedback": decision.feedback,  # what the agent is told
        "updated_input": decision.updated_input,
        "updated_prompt": decision.updated_prompt,
        "context": "\n\n".join(decision.context) or None,
        "message": "\n\n".join(decision.messages) or None,
        "evidence": msgspec.to_builtins(decision.evidence),
        "votes": [_vote(row) for row in decision.trace],
        "degraded": list(decision.degraded),
        "auto_approve": decision.auto_approve,
        "unread": decision.unread,
        "open_passes": decision.open_passes,
        "revision": decision.revision,
    }
    if decision.updated_output is not msgspec.UNSET:
        document["updated_output"] = decision.updated_output
    return document


def _vote(row: TraceRow) -> dict[str, Any]:
    return {
        "hook": row.hook,
        "type": row.type,
        "matcher": row.matcher,
        "source": row.source,
        "vote": str(row.vote),
        "reason": row.reason,
        "outcome": row.outcome,
        "duration_ms": row.duration_ms,
        "shadow": row.shadow,
        "rejudged": row.rejudged,
        "passed_open": row.passed_open,
    }


def as_text(decision: Decision, *, verbose: bool = False) -> str:
    """The decision and its reason, what is said and changed, and the rules that matched."""
    reason = f" ({printable(decision.reason)})" if decision.reason else ""
    lines = [f"decision: {vote_word(decision.outcome, max(decision.vote, Vote.ALLOW))}{reason}"]
    if decision.updated_input is not None:
        lines.append(f"input becomes: {_shown(decision.updated_input)}")
    if decision.updated_prompt is not None:
        lines.append(f"prompt becomes: {printable(decision.updated_prompt)}")
    if decision.updated_output is not msgspec.UNSET:
        lines.append(f"output becomes: {_shown(decision.updated_output)}")
    lines += [f"context: {printable(text)}" for text in decision.context]
    lines += [f"message: {printable(text)}" for text in decision.messages]
    if decision.unread:
        lines.append(f"unread: {printable(decision.unread)}")
    matched = [
        _cells(row, decision.reason or "") for row in decision.trace if row.outcome is not Outcome.SKIPPED
    ]
    lines += [f"matched: {line}" for line in columns(matched)] if matched else ["no rule matched"]
    return "\n".join([*lines, *(unmatched(decision.trace) if verbose else ())])


def unmatched(trace: Sequence[TraceRow]) -> list[str]:
    """The rules that did not match, for whoever asks."""
    names = [row.hook for row in trace if row.outcome is Outcome.SKIPPED]
    return [printable(f"did not match: {', '.join(names)}")] if names else []


def _cells(row: TraceRow, told: str) -> tuple[str, ...]:
    """What a rule said, and where it is written; its reason where the decision does not tell it."""
    fresh = row.reason if row.reason and row.reason not in told else ""
    marks = [
        mark
        for mark, holds in (
            (str(row.outcome), row.outcome not in {Outcome.SUCCESS, Outcome.BLOCKING}),
            ("shadow", row.shadow),
            ("judged again", row.rejudged),
            ("passed open", row.passed_open),
            (fresh, bool(fresh)),
        )
        if holds
    ]
    return (str(row.vote), row.hook, row.source, "; ".join(marks))


def _shown(value: Any) -> str:
    return printable(msgspec.json.encode(value).decode())
