"""`interlock show ID`: all about a decision, request, grant, commitment, effort, recorded call or session."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Final

import typer

from interlock.cli.ledger import connected, reading
from interlock.cli.log import LogLine, log, log_line
from interlock.cli.output import (
    columns,
    print_json,
    printable,
    rule_name,
    short_path,
    vote_word,
    wrapped,
    wrapped_prose,
)
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.feature import features
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import Standing, standing_of
from interlock.web.decision_words import GAVE
from interlock.web.policies import allowing_of_entry
from interlock.web.queries.calls import Call, Traced, call_of

_LABEL = 12  # width of the names on the left
_OPENING = {"allow": "Allowed", "ask": "Needs approval", "deny": "Denied"}


def as_document(entry: Entry) -> dict[str, object]:
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
    """The record itself, its body as indented JSON, and its proof."""
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
    """A whole entry, a decision with its reason first. `verbose` adds the unmatched rules and the record."""
    standing = standing_of(ledger, entry)
    if entry.op != "decision":
        return details(entry, standing)
    found, line = call_of(ledger, str(entry.seq)), log_line(entry)
    lines = [*_heading(line), "", *_facts(found, line), *_rules(found.trace, line.reason or "")]
    if verbose and (skipped := found.body.get("skipped")):
        lines += _field("No match", ", ".join(map(str, skipped)))
    lines += _after(found)
    if line.decision != str(Vote.ALLOW) and (way := allowing_of_entry(places_of(here()), entry)):
        lines += ["", *wrapped_prose(way.lines)]
    return [*lines, "", *(details(entry, standing) if verbose else _proof(entry, standing))]


def _heading(line: LogLine) -> list[str]:
    plain = _OPENING.get(line.decision, line.decision)
    opening = vote_word(plain, Vote.__members__.get(line.decision.upper(), Vote.ABSTAIN))
    if line.reason is None:
        by = f" by the rule {line.rule}" if line.rule else ": no rule objects"
        return [f"{opening}{printable(by)}."]
    reason = printable(line.reason).removeprefix(f"{plain} ")
    joint = " " if line.reason.startswith(f"{plain} ") else ": "
    first, *more = wrapped(f"{plain}{joint}{reason}", "", "")
    return [first.replace(plain, opening, 1), *more]


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
    """The rules that matched: what each said, where it is, and its reason unless that was told above."""
    lines: list[str] = []
    votes = {row.hook: row.vote for row in trace if not row.rejudged}
    for row in trace:
        if row.rejudged and votes.get(row.hook) == row.vote:
            continue  # it said the same of the changed input
        said = row.vote if row.vote != str(Vote.ABSTAIN) else "changed" if row.updated_input else "ran"
        marks = [row.outcome if row.outcome in {"error", "timeout"} else "", "shadow" if row.shadow else ""]
        marks += [GAVE[one] for one in row.gave if one in GAVE] + (["again"] if row.rejudged else [])
        about = [
            rule_name(row.hook),
            *(f"({mark})" for mark in marks if mark),
            short_path(row.source),
        ]
        lines += _field("" if lines else "Rules", f"{said:<8}{'  '.join(about)}")
        if row.reason and row.reason not in told:
            lines += wrapped(printable(row.reason), " " * (_LABEL + 8), " " * (_LABEL + 8))
    return lines


def _after(found: Call) -> Iterator[str]:
    """The result of the call, and the evidence that was captured."""
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
    """The body without the diff in its data, and the lines of the diff, which are unreadable inside JSON."""
    data = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("diff"), str):
        return body, []
    lines = data["diff"].split("\n")
    return {**body, "data": {**data, "diff": f"{len(lines) - 1} lines, below"}}, lines[:-1] or lines


_ENTRY: Final = re.compile(r"#?[0-9]+|op_\w+")
_SESSION: Final = re.compile(r"[0-9A-Za-z][\w.-]{3,}")
_KINDS: Final = (
    "use the ID of a decision (17), a request (ap_7), a grant (gr_3), a commitment (cmt_1a2b3c4d), "
    "an effort (e12), a recorded call (tc_0f3a9c2b71) or a session"
)

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Include the rules that did not match and the full record.")
]


def show(
    name: Annotated[
        str,
        typer.Argument(metavar="ID", help="For example 17, ap_7, gr_3, cmt_1a2b3c4d, e12 or a session ID."),
    ],
    verbose: Verbose = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Show everything about a decision, request, grant, commitment, effort, recorded call or session."""
    require_person("show")
    if _ENTRY.fullmatch(name):
        return show_entry(name.removeprefix("#"), verbose=verbose, as_json=as_json)
    for feature in features():
        for pattern, address in feature.shows.items():
            if re.fullmatch(pattern, name):
                shown: int = feature.load(address)(name, as_json=as_json)
                return shown
    if _SESSION.fullmatch(name):
        with reading() as reader:
            session = reader.session(name)  # the newest whose id begins so
        if session:
            if not as_json:
                typer.echo(printable(f"Session {session}: its last decisions, newest first"))
            return log(session=session, everything=True, as_json=as_json)
    raise InterlockError(f"nothing has the ID `{name}`; {_KINDS}")


def show_entry(name: str, *, verbose: bool = False, as_json: bool = False) -> int:
    """Print one entry of the ledger, by its number or id."""
    with connected() as connection:
        entry = LedgerReader(connection).show(name)
        if not as_json:
            typer.echo("\n".join(entry_lines(connection, entry, verbose=verbose)))
            return 0
        standing = standing_of(connection, entry)
    checkpoint = standing.checkpoint.document if standing.checkpoint else None
    chain = {"first": standing.first, "last": standing.last, "checkpoint": checkpoint}
    print_json({**as_document(entry), "holds": standing.holds, "chain": chain})
    return 0
