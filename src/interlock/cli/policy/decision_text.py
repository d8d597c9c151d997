"""A decision for people and for scripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.cli.output import columns, printable, short, vote_word
from interlock.events.decision import Decision, TraceRow
from interlock.events.source import PACK_SOURCE
from interlock.events.verdict import Outcome, Vote


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


def as_text(decision: Decision) -> str:
    """The trace, one row a hook, what is said and changed, and last the decision."""
    lines = _trace(decision.trace) if decision.trace else ["no hook applies here"]
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
    reason = f" ({printable(decision.reason)})" if decision.reason else ""
    return "\n".join(
        [*lines, f"decision: {vote_word(decision.outcome, max(decision.vote, Vote.ALLOW))}{reason}"]
    )


def _trace(rows: Sequence[TraceRow]) -> list[str]:
    """One line a hook; the many rules of packs that did not apply are only counted."""
    aside = [row for row in rows if row.outcome is Outcome.SKIPPED and row.source.startswith(PACK_SOURCE)]
    told = [_cells(row) for row in rows if row not in aside]
    lines = columns([_HEAD, *told]) if told else []
    counts = Counter(row.hook.partition("/")[0] for row in aside)
    return [*lines, *(f"skipped: {count} rules of the pack {pack}" for pack, count in counts.items())]


_HEAD = ("VOTE", "HOOK", "TYPE", "MATCHER", "SOURCE", "MS", "REASON")


def _cells(row: TraceRow) -> tuple[str, ...]:
    vote = (
        str(row.vote) if row.outcome in {Outcome.SUCCESS, Outcome.BLOCKING} else f"{row.vote} ({row.outcome})"
    )
    marks = [
        mark
        for mark, holds in (
            ("shadow", row.shadow),
            ("judged again", row.rejudged),
            ("passed open", row.passed_open),
        )
        if holds
    ]
    reason = "; ".join([*marks, row.reason or ""]).removesuffix("; ")
    duration = "-" if row.outcome is Outcome.SKIPPED else f"{row.duration_ms:.1f}"
    if row.outcome is Outcome.SKIPPED:
        vote = "skipped"
    return (vote, row.hook, row.type, short(row.matcher), row.source, duration, reason)


def _shown(value: Any) -> str:
    return printable(msgspec.json.encode(value).decode())
