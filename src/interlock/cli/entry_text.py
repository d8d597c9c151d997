"""One entry of the ledger: of a decision the reason comes first, the hashes last."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from interlock.cli.log import LogLine, log_line, rule_name
from interlock.cli.output import columns, printable, vote_word
from interlock.cli.policy.analysis_text import wrapped
from interlock.cli.policy_source import here
from interlock.cli.setup.uninstall import short_path
from interlock.daemon.paths import places_of
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.ledger.entry import Entry
from interlock.ledger.verify import Standing, standing_of
from interlock.web.decision_words import GAVE
from interlock.web.policies import allowing_of_entry
from interlock.web.queries.calls import Call, Traced, call_of

_LABEL = 12  # characters of the names at the left
_OPENING = {"allow": "Allowed", "ask": "Needs approval", "deny": "Denied"}


def as_document(entry: Entry) -> dict[str, object]:
    """An entry as plain values, its hashes as hexadecimal text."""
    return {
        "seq": entry.seq,
        "id": entry.id,
        "op": entry.op,
        "ts": entry.ts,
        "actor": entry.actor,
        "workspace": entry.workspace,
        "body": entry.body,
        "prev_hash": entry.prev_hash.hex(),
        "hash": entry.hash.hex(),
    }


def details(entry: Entry, standing: Standing) -> list[str]:
    """Everything one entry says and how it is proved, the body as indented JSON."""
    body, diff = _apart(entry.body)
    # In ASCII, so that no text inside can change what the terminal shows.
    shown = json.dumps(body, indent=2, ensure_ascii=True).splitlines()
    return [
        *columns(
            [("op", entry.op), ("time", entry.ts), ("actor", entry.actor), ("workspace", entry.workspace)]
        ),
        "body",
        *map(printable, shown),
        *(["diff", *map(printable, diff)] if diff else []),
        *_proof(entry, standing),
    ]


def entry_lines(ledger: sqlite3.Connection, entry: Entry, *, verbose: bool) -> list[str]:
    """One entry whole; with `verbose` also what did not matter, and the record itself."""
    standing = standing_of(ledger, entry)
    if entry.op != "decision":
        return details(entry, standing)
    found, line = call_of(ledger, str(entry.seq)), log_line(entry)
    lines = [*_heading(line), "", *_facts(found, line), *_rules(found.trace, line.reason or "")]
    if verbose and (skipped := found.body.get("skipped")):
        lines += _field("No match", ", ".join(map(str, skipped)))
    lines += _after(found)
    if line.decision != str(Vote.ALLOW) and (way := allowing_of_entry(places_of(here()), entry)):
        lines += ["", *(part for one in way.lines for part in wrapped(printable(one), "", "  "))]
    return [*lines, "", *(details(entry, standing) if verbose else _proof(entry, standing))]


def _heading(line: LogLine) -> list[str]:
    opening = vote_word(_OPENING.get(line.decision, line.decision), _vote(line.decision))
    if line.reason is None:
        by = f" by the rule {line.rule}" if line.rule else ": no rule objects"
        return [f"{opening}{printable(by)}."]
    plain = _OPENING.get(line.decision, line.decision)
    reason = printable(line.reason).removeprefix(f"{plain} ")
    joint = " " if line.reason.startswith(f"{plain} ") else ": "
    first, *more = wrapped(f"{plain}{joint}{reason}", "", "")
    return [first.replace(plain, opening, 1), *more]


def _vote(word: str) -> Vote:
    return Vote[word.upper()] if word.upper() in Vote.__members__ else Vote.ABSTAIN


def _facts(found: Call, line: LogLine) -> Iterator[str]:
    entry, body = found.entry, found.body
    yield from _field("Call", line.call if entry.tool != "Bash" else f"{entry.tool}: {line.call}")
    if isinstance(changed := body.get("updated_input"), dict):
        yield from _field("Changed to", json.dumps(changed, ensure_ascii=False))
    yield from _field("Agent", f"{entry.actor}, session {entry.session_id or '-'}")
    yield from _field("Folder", str(body.get("cwd") or entry.workspace))
    yield from _field("Time", f"{datetime.fromisoformat(entry.ts).astimezone():%Y-%m-%d %H:%M:%S}")
    if line.approval:
        yield from _field("Request", f"{line.approval}; see `interlock show {line.approval}`")


def _rules(trace: Sequence[Traced], told: str) -> list[str]:
    """The rules that matched, once each: what each said, where it is written, and a reason not told yet."""
    lines: list[str] = []
    votes = {row.hook: row.vote for row in trace if not row.rejudged}
    for row in trace:
        if row.rejudged and votes.get(row.hook) == row.vote:
            continue  # the changed input was judged as the first one
        said = row.vote if row.vote != str(Vote.ABSTAIN) else "changed" if row.updated_input else "ran"
        marks = [row.outcome if row.outcome in {"error", "timeout"} else "", "shadow" if row.shadow else ""]
        marks += [GAVE[one] for one in row.gave if one in GAVE] + (["again"] if row.rejudged else [])
        about = [
            rule_name(row.hook),
            *(f"({mark})" for mark in marks if mark),
            short_path(Path(row.source)) if row.source.startswith("/") else row.source,
        ]
        lines += _field("" if lines else "Rules", f"{said:<8}{'  '.join(about)}")
        if row.reason and row.reason not in told:
            lines += wrapped(printable(row.reason), " " * (_LABEL + 8), " " * (_LABEL + 8))
    return lines


def _after(found: Call) -> Iterator[str]:
    """What became of the call, and what was kept of it."""
    if found.end is not None:
        ended = "failed" if found.end.event == "PostToolUseFailure" else "ran"
        yield from _field("Result", f"{ended} ({found.end.event}, entry {found.end.seq})")
    for hook, seq, _ in (*found.evidence, *found.end_evidence):
        yield from _field("Evidence", f"entry {seq}, by {rule_name(hook)}")


def _proof(entry: Entry, standing: Standing) -> list[str]:
    known = {
        "entry": str(entry.seq),
        "id": entry.id,
        "hash": entry.hash.hex(),
        "previous": entry.prev_hash.hex(),
    }
    return columns(list({**known, **standing.words(entry)}.items()))


def _field(label: str, text: str) -> list[str]:
    return wrapped(f"{label:<{_LABEL}}{printable(text)}", "", " " * _LABEL)


def _apart(body: JsonObject) -> tuple[JsonObject, list[str]]:
    """The body and the lines of the diff in its data, which nobody can read inside JSON."""
    data = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("diff"), str):
        return body, []
    lines = data["diff"].split("\n")
    return {**body, "data": {**data, "diff": f"{len(lines) - 1} lines, below"}}, lines[:-1] or lines
