"""`interlock ledger stats` and `audit`: decisions counted, and shell commands with their times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.dates import SinceOption, UntilOption, parse_times
from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonResult, connected, progress
from interlock.cli.ledger_filters import ActorOption, LimitOption, SessionOption, filter_of, pages_of
from interlock.cli.output import columns, printable, screen_width, short, table
from interlock.cli.policy_source import here
from interlock.features.ledger_tools.shell_log import ShellCall, ShellOutcome, shell_log
from interlock.search.counts import By, Counts, Durations, Group, count
from interlock.search.search import ends_of

counting = typer.Typer()

_TOP: Final = 10
_VOTES: Final = ("abstain", "allow", "ask", "deny")


@counting.command(epilog="Example: interlock ledger stats --since 7d --by tool")
def stats(
    since: SinceOption = None,
    until: UntilOption = None,
    by: Annotated[By | None, typer.Option(help="Also count by one of these.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, help="Show at most this many rows of --by.")
    ] = 50,
    as_json: JsonResult = False,
) -> int:
    """Count decisions, rules, tools and durations.

    Gaps and calls that passed although a hook failed are counted, too.
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


auditing = typer.Typer()

_AUDIT_HEADER: Final = ("seq", "started", "took", "outcome", "actor", "session", "command")
_CUT: Final = {4: 8, 5: 6, 6: 20}
_LONGEST: Final = 200


@auditing.command(epilog="Example: interlock ledger audit --since 2h --outcome failed")
def audit(
    session: SessionOption = None,
    actor: ActorOption = None,
    outcome: Annotated[ShellOutcome | None, typer.Option(help="Only those with this outcome.")] = None,
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
