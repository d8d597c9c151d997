"""`interlock ledger stats` and `audit`: decisions counted, and shell commands with their times."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.ledger import (
    ActorOption,
    JsonResult,
    LimitOption,
    SessionOption,
    connected,
    filter_of,
    pages_of,
    progress,
)
from interlock.cli.output import columns, print_json, printable, screen_width, short, table
from interlock.cli.policy_source import here
from interlock.cli.words import SinceOption, UntilOption, parse_times
from interlock.effects.tool_fields import commands_of
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.ledger.entry import Entry
from interlock.search.counts import By, Counts, Durations, Group, count
from interlock.search.search import ends_of

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
            ends[_call_key(entry)] = entry
            if len(ends) > _REMEMBERED:
                del ends[next(iter(ends))]
        elif _begins(entry) and _is_shell(entry):
            yield _call(entry, ends.pop(_call_key(entry), None))


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


def _call_key(entry: Entry) -> tuple[str, str]:
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


statistics = typer.Typer()

_TOP: Final = 10
_VOTES: Final = ("abstain", "allow", "ask", "deny")


@statistics.command(epilog="Example: interlock ledger stats --since 7d --by tool")
def stats(
    since: SinceOption = None,
    until: UntilOption = None,
    by: Annotated[
        By | None, typer.Option(metavar="WHAT", help=f"Count by one of these, too: {', '.join(By)}.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Show at most this many rows of --by.")
    ] = 50,
    as_json: JsonResult = False,
) -> int:
    """Count decisions, rules, tools and durations.

    It also counts gaps, and calls that were allowed although a hook failed.
    """
    first, last = parse_times(since, until)
    with connected() as connection:
        tell = progress("counted")
        ends = ends_of(here().database, connection, first, last, progress("indexed"))
        found = count(connection, by, since=first, until=last, ends=ends, progress=tell)
    if as_json:
        print_json(_document(found, by, limit))
    else:
        typer.echo("\n".join([*_overview(found), *(_table(found, by, limit) if by else ())]))
    return 0


def _document(found: Counts, by: By | None, limit: int) -> dict[str, Any]:
    document: dict[str, Any] = {
        "entries": found.entries,
        "first": found.first,
        "last": found.last,
        "ops": dict(found.ops.most_common()),
        "decisions": dict(found.decisions.most_common()),
        "denied_by": dict(found.denied_by.most_common(_TOP)),
        "tools": dict(found.tools.most_common(_TOP)),
        "open_passes": found.open_passes,
        "gaps": {"entries": found.ops["gap"], "lost": found.lost},
        "duration_ms": _quantiles(found.durations),
    }
    if by is not None:
        document |= {"by": by, "rows": [_row(name, group) for name, group in _sorted(found, by)[:limit]]}
    return document


def _quantiles(durations: Durations) -> dict[str, float | None]:
    return {"p50": durations.quantile(0.5), "p95": durations.quantile(0.95)}


def _row(name: str, group: Group) -> dict[str, Any]:
    return {
        "name": name,
        "count": group.entries,
        **dict(group.votes),
        "duration_ms": _quantiles(group.durations),
    }


def _sorted(found: Counts, by: By) -> list[tuple[str, Group]]:
    if by is By.DAY:
        return sorted(found.groups.items(), reverse=True)
    return sorted(found.groups.items(), key=lambda item: (-item[1].entries, item[0]))


def _overview(found: Counts) -> Iterator[str]:
    rows = [("entries", f"{found.entries:,}" + (f"  {found.first} to {found.last}" if found.first else ""))]
    rows.append(("decisions", _listed(found.decisions) or "none"))
    times = _quantiles(found.durations)
    if found.durations.count:
        rows.append(("duration", f"p50 {times['p50']:g} ms, p95 {times['p95']:g} ms"))
    rows.append(("open passes", f"{found.open_passes:,}"))
    rows.append(("gaps", f"{found.ops['gap']:,}, {found.lost:,} lost" if found.ops["gap"] else "0"))
    rows.append(("kinds", _listed(found.ops) or "none"))
    rows.append(("tools", _listed(found.tools) or "none"))
    yield from columns(rows)
    if found.denied_by:
        yield "denied by"
        yield from (
            f"  {line}"
            for line in columns([(f"{n:,}", short(name)) for name, n in found.denied_by.most_common(_TOP)])
        )


def _listed(counter: Counter[str]) -> str:
    return ", ".join(f"{printable(name)} {number:,}" for name, number in counter.most_common(_TOP))


def _table(found: Counts, by: By, limit: int) -> Iterator[str]:
    rows = _sorted(found, by)
    shown = [vote for vote in _VOTES if any(group.votes[vote] for _, group in rows)]
    header = (str(by), "count", *shown, "p50 ms", "p95 ms")
    cells = [(short(name), *_cells(group, shown)) for name, group in rows[:limit]]
    yield ""
    yield from table(header, cells, cut={0: 8})
    if len(rows) > limit:
        yield f"{len(rows) - limit:,} more; --limit shows them"


def _cells(group: Group, shown: list[str]) -> list[str]:
    times = _quantiles(group.durations).values()
    return [
        f"{group.entries:,}",
        *(f"{group.votes[vote]:,}" for vote in shown),
        *("-" if time is None else f"{time:g}" for time in times),
    ]


_AUDIT_HEADER: Final = ("seq", "started", "took", "outcome", "actor", "session", "command")
_CUT: Final = {4: 8, 5: 6, 6: 20}
_LONGEST: Final = 200


@statistics.command(epilog="Example: interlock ledger audit --since 2h --outcome failed")
def audit(
    session: SessionOption = None,
    actor: ActorOption = None,
    outcome: Annotated[
        ShellOutcome | None,
        typer.Option(metavar="OUTCOME", help=f"Only those that ended so: {', '.join(ShellOutcome)}."),
    ] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one command a line.")] = False,
) -> int:
    """List shell commands with their times, newest first.

    It says what ran, what was denied and what has no known end.
    """
    wanted = filter_of(session, actor, None, None, None, None, since, until)
    # Without its upper end: what began before it may have ended after it.
    entries = pages_of(msgspec.structs.replace(wanted, until=None))
    fitting = (
        call
        for call in shell_log(entries)
        if outcome in {None, call.outcome} and (wanted.until is None or call.started < wanted.until)
    )
    calls = list(islice(fitting, limit))
    if as_json:
        for call in calls:
            print_json(msgspec.to_builtins(call))
    else:
        typer.echo("\n".join(_audit_table(calls)) if calls else "no shell command is recorded")
    return 0


def _audit_table(calls: list[ShellCall]) -> list[str]:
    width = screen_width()
    rows = [
        (
            str(call.seq),
            call.started if width is None else f"{call.started[:19]}Z",
            _took(call.duration_ms),
            call.outcome,
            call.actor,
            call.session_id,
            printable((call.command or "(not read)")[:_LONGEST]),
        )
        for call in calls
    ]
    return table(_AUDIT_HEADER, rows, cut=_CUT)


def _took(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"  # noqa: PLR2004 - a second
