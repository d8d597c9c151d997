"""`interlock log`: the decisions, newest first, one line each."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.ledger import (
    POLL_SECONDS,
    ActorOption,
    DecisionOption,
    SessionOption,
    ToolOption,
    check_names,
    filter_of,
    pages_of,
    reading,
)
from interlock.cli.output import print_json, printable, rule_name, screen_width, table
from interlock.cli.people_only import require_person
from interlock.cli.words import DECISIONS, SinceOption, UntilOption
from interlock.errors import InterlockError
from interlock.events.decision import needs_approval
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.search.question import rule_of
from interlock.search.search import fits
from interlock.web.decision_words import call_text
from interlock.web.queries.timeline import text_of

_HEAD: Final = ("id", "time", "decision", "agent", "call", "rule")
_LONGEST: Final = 2_000  # characters of a call; `interlock show` has all of it
_NONE: Final = (
    "No decisions yet. Each call of a guarded agent appears here; `interlock status` says who is guarded."
)
_NONE_MATCH: Final = "No decisions match. Add --all to include events other than tool calls."
_TEXT: Final = "`interlock log` shows decisions; to add to an effort's log, run `interlock effort log TEXT`"


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    time: str
    decision: str  # `ask` for a call that waits for approval, though the agent was told no
    agent: str
    call: str
    rule: str | None
    reason: str | None
    event: str | None
    tool: str | None
    session: str | None
    approval: str | None

    @property
    def word(self) -> str:
        """The decision, with the id of the request that a person must answer."""
        waits = self.approval if self.decision == str(Vote.ASK) else None
        return f"{self.decision} {waits}" if waits else self.decision

    def cells(self, now: datetime, *, narrow: bool) -> tuple[str, ...]:
        rule = rule_name(self.rule)
        at = datetime.fromisoformat(self.time).astimezone()
        return (
            str(self.id),
            at.strftime("%H:%M:%S" if at.date() == now.date() else "%m-%d %H:%M"),
            self.word,
            self.agent.removeprefix("agent:"),
            self.call,
            rule.rpartition("/")[2] if narrow else rule,
        )


def log(
    text: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    count: Annotated[int, typer.Option("-n", "--lines", min=0, max=10_000, help="Show this many.")] = 20,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep running and print new decisions.")
    ] = False,
    decision: DecisionOption = None,
    tool: ToolOption = None,
    actor: ActorOption = None,
    session: SessionOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Include events that are not tool calls, such as the end of a turn.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one decision a line.")] = False,
) -> int:
    """Show decisions, newest first; with --follow, oldest first and then live."""
    if text:
        raise InterlockError(_TEXT)
    require_person("log")
    wanted = filter_of(session, actor, tool, None, None, "decision", since, until)
    screen = _Screen(as_json=as_json)
    with reading() as reader:
        seen = max((entry.seq for entry in reader.tail(1)), default=0)
        found = list(
            islice(_lines(_newest(wanted, decision, reader), decision, everything=everything), count)
        )
        if follow:
            screen.print(found[::-1])
            _follow(reader, seen, wanted, decision, screen, everything=everything)
        elif found or as_json:
            screen.print(found)
        else:
            check_names(wanted, reader)
            bare = not any((decision, tool, actor, session, since, until))
            typer.echo(_NONE if bare else _NONE_MATCH)
    return 0


def tail(
    session: SessionOption = None,
    decision: DecisionOption = None,
    count: Annotated[
        int, typer.Option("-n", "--count", help="Stop after this many; 0: continue until Ctrl-C.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> int:
    """Show decisions on all events as they happen; the same as `interlock log --follow --all -n 0`."""
    require_person("tail")
    wanted = filter_of(session, None, None, None, None, "decision", None, None)
    with reading() as reader:
        seen = max((entry.seq for entry in reader.tail(1)), default=0)
        _follow(reader, seen, wanted, decision, _Screen(as_json=as_json), everything=True, most=count)
    return 0


def _newest(wanted: Filter, decision: str | None, reader: LedgerReader) -> Iterator[Entry]:
    """The entries that may match, newest first."""
    if decision is None and not any((wanted.tool, wanted.since, wanted.until)):
        return _read(wanted, reader)  # nearly every entry is a decision, so no index is needed
    if decision != str(Vote.ASK):
        return pages_of(msgspec.structs.replace(wanted, decision=decision))
    # A call that waits for a person is recorded as denied.
    votes = (pages_of(msgspec.structs.replace(wanted, decision=word)) for word in ("ask", "deny"))
    return merge(*votes, key=lambda entry: -entry.seq)


def _read(wanted: Filter, reader: LedgerReader) -> Iterator[Entry]:
    before = None
    while page := reader.page(Filter(session=wanted.session, actor=wanted.actor), limit=200, before=before):
        yield from (entry for entry in page if entry.op == wanted.op)
        before = page[-1].seq


def _lines(entries: Iterable[Entry], decision: str | None, *, everything: bool) -> Iterator[LogLine]:
    for entry in entries:
        line = log_line(entry)
        is_call = line.event == EventName.PRE_TOOL_USE
        if decision in {None, line.decision} and (everything or is_call or line.decision != DECISIONS[0]):
            yield line


def log_line(entry: Entry) -> LogLine:
    body = entry.body
    reason, approval = _text(body.get("reason")), _text(body.get("approval"))
    waits = entry.decision == str(Vote.DENY) and needs_approval(approval, reason)
    return LogLine(
        id=entry.seq,
        time=entry.ts,
        decision=str(Vote.ASK) if waits else entry.decision or "-",
        agent=entry.actor,
        call=_call(entry, body),
        rule=rule_of(body),
        reason=reason,
        event=entry.event,
        tool=entry.tool,
        session=entry.session_id,
        approval=approval,
    )


def _call(entry: Entry, body: dict[str, object]) -> str:
    """The command, or the tool and its main argument."""
    said = " ".join(call_text(entry.tool or "", body.get("tool_input")).split()) or text_of(body)
    name = "" if entry.tool == "Bash" else entry.tool or entry.event or ""
    moment = f"({entry.event})" if entry.tool and entry.event != EventName.PRE_TOOL_USE else ""
    return " ".join(part for part in (name, said[:_LONGEST], moment) if part)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _follow(
    reader: LedgerReader,
    seen: int,
    wanted: Filter,
    decision: str | None,
    screen: _Screen,
    *,
    everything: bool,
    most: int = 0,
) -> None:
    """Print what is recorded after an entry, forever or until `most` lines are printed."""
    shown = 0
    while True:
        new = reader.after(seen)
        fitting = (entry for entry in new if fits(entry, wanted))
        lines = list(_lines(fitting, decision, everything=everything))
        lines = lines[: most - shown] if most else lines
        screen.print(lines)
        shown += len(lines)
        if most and shown >= most:
            return
        if new:
            seen = new[-1].seq
        else:
            time.sleep(POLL_SECONDS)


class _Screen:
    """Prints lines as JSON, as a table for a terminal, or with tabs for a pipe."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._widths: dict[int, int] = {}

    def print(self, lines: list[LogLine]) -> None:
        width = screen_width()
        if self._as_json:
            for line in lines:
                print_json(line)
        elif width is None:
            for line in lines:
                cells = (str(line.id), line.time, line.word, line.agent, line.call, line.rule or "-")
                typer.echo("\t".join(map(printable, cells)))
        elif lines:
            now = datetime.now(UTC).astimezone()
            rows = [line.cells(now, narrow=width < _NARROW) for line in lines]
            fits = self._widths and all(len(row[i]) <= self._widths[i] for row in rows for i in _WHOLE)
            if not fits:
                self._widths = _widths(rows, width)
            head, *below = ([row[i] for i in self._widths] for row in (_HEAD, *rows))
            fixed = dict(enumerate(self._widths.values()))
            typer.echo("\n".join(table(head, below, fixed=fixed, header=not fits)))
        sys.stdout.flush()


_LEAST: Final = (3, 8, 8)
_WHOLE: Final = (0, 2)  # the ID and the decision with the ID of its request: `interlock show` needs them
_LESS: Final = (3, 5, 1)  # the columns to leave out when the terminal is too narrow, in this order
_CALL, _LEAST_CALL = 4, 10
_AGENT, _RULE = (8, 16), (10, 24)  # characters: at least, at most
_BETWEEN: Final = 2
_NARROW: Final = 100  # columns; below, a rule is shown without its pack


def _widths(rows: list[tuple[str, ...]], width: int) -> dict[int, int]:
    """Widths that also suit the lines that come later; the call gets the rest of the room."""
    widest = [max(len(row[index]) for row in rows) for index in range(len(_HEAD))]
    found = {index: max(least, widest[index]) for index, least in enumerate(_LEAST)}
    narrow = width < _NARROW
    found[3] = min(max(_AGENT[0], widest[3]), _AGENT[0] + 6 if narrow else _AGENT[1])
    found[5] = min(max(_RULE[0], widest[5]), _RULE[0] + 4 if narrow else _RULE[1])
    found[_CALL] = _LEAST_CALL
    if _total(found) > width:
        found[3], found[5] = _AGENT[0], _RULE[0]
    for column in _LESS:
        if _total(found) > width:
            del found[column]
    found[_CALL] = max(found[_CALL] + width - _total(found), 1)
    return dict(sorted(found.items()))


def _total(widths: dict[int, int]) -> int:
    return sum(widths.values()) + _BETWEEN * (len(widths) - 1)
