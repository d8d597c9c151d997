"""`interlock status`: who is guarded, what waits for you, and today's figures, on one screen."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.log import log_line
from interlock.cli.output import colours, print_json, printable, short_path, wrapped
from interlock.cli.policy_source import folder, here, policy_sources
from interlock.cli.setup.doctor_checks import check_daemon, check_policy
from interlock.cli.setup.install import settings_here
from interlock.daemon.launcher import status as daemon_status
from interlock.daemon.paths import Places, places_of
from interlock.errors import InterlockError
from interlock.events.names import EventName
from interlock.feature import features
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.claude_code.doctor import check_settings, read_scopes
from interlock.hosts.claude_code.read import HOST
from interlock.hosts.host import Check, State
from interlock.hosts.launching import Installation, install_place, token_for
from interlock.ledger.reader import Filter, LedgerReader
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read

_NEWEST: Final = 20_000  # entries searched for today's calls: that takes a tenth of a second
_LABEL: Final = 10
_MARK: Final = 6
_COLOURS: Final = {
    State.OK: typer.colors.GREEN,
    State.WARN: typer.colors.YELLOW,
    State.FAIL: typer.colors.RED,
}
_WORDS: Final = {State.OK: "ok", State.WARN: "!", State.FAIL: "fail"}
_MANY: Final = 5  # more things that wait are only counted


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A request that only a person can answer."""

    id: str
    about: str


def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Show who is guarded, the policy, the daemon, what waits for you, and today's figures.

    Exit 1 when an agent is not guarded or a policy cannot be loaded. `interlock doctor` checks every part.
    """
    places = places_of(here())
    checks = {"agents": _agent(), "policy": _policy(), "daemon": _daemon(places)}
    waiting, today = list(_waiting(places)), _today(places)
    good = all(check.state is not State.FAIL for check in checks.values())
    if as_json:
        print_json({"ok": good, **checks, "waiting": waiting, "today": today})
    else:
        lines = [line for name, check in checks.items() for line in _lines(name, check)]
        calls = f"{today['calls']:,} {'call' if today['calls'] == 1 else 'calls'}"
        figures = f"{'Today':<{_LABEL}}{calls}, {today['denied']:,} denied, {today['asked']:,} asked"
        typer.echo("\n".join([*lines, *_waiting_lines(waiting), figures]))
    return 0 if good else 1


def _agent() -> Check:
    title, places = HOSTS[HOST].title, settings_here()
    settings, unreadable = read_scopes(places)
    found = [*unreadable, *check_settings(settings, places, _installed(), token_for(here().state))]
    wrong = next((one for one in found if one.state is State.FAIL), None) or next(
        (one for one in found if one.state is State.WARN), None
    )
    if wrong is None:
        return Check(state=State.OK, what=title, detail=f"{title} is guarded")
    how = "is not guarded" if wrong.state is State.FAIL else "is guarded, but"
    return Check(state=wrong.state, what=title, detail=f"{title} {how}: {wrong.detail}", next=wrong.next)


def _installed() -> Installation:
    return install_place(os.environ, home=Path.home(), cwd=folder())


def _policy() -> Check:
    """The policy files in use, or why they cannot be used."""
    checks = list(check_policy([]))
    wrong = next((one for one in checks if one.state is not State.OK), None)
    if wrong is not None:
        return wrong
    named = (short_path(str(getattr(file, "shown", file))) for _, file in policy_sources([]))
    files = ", ".join(dict.fromkeys(named))
    return Check(state=State.OK, what="policy", detail=f"{checks[0].detail.partition(',')[0]} in {files}")


def _daemon(places: Places) -> Check:
    """A daemon that does not run is no problem: the next call starts it."""
    found = daemon_status(places)
    if found is None:
        return Check(state=State.OK, what="daemon", detail="not running; the next call starts it")
    wrong = next((one for one in check_daemon(places, _installed()) if one.state is State.FAIL), None)
    return wrong or Check(state=State.OK, what="daemon", detail=f"running, version {found['version']}")


def _waiting(places: Places) -> Iterator[Waiting]:
    for feature in features():
        if feature.waiting is not None:
            for name, about in feature.load(feature.waiting)(places):
                yield Waiting(id=name, about=about)


def _today(places: Places) -> dict[str, int]:
    """Count the calls since midnight by decision."""
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        with closing(open_to_read(places.database)) as connection:
            reader = LedgerReader(connection)
            last = max((entry.seq for entry in reader.tail(1)), default=0)
            wanted = Filter(op="decision", since=timestamp(midnight.timestamp()))
            entries = reader.page(wanted, limit=_NEWEST, low=max(last - _NEWEST, 0))
    except (InterlockError, sqlite3.Error):
        entries = []
    calls = [one for one in entries if one.event == EventName.PRE_TOOL_USE]
    words = Counter(log_line(one).decision if one.decision == "deny" else one.decision for one in calls)
    return {"calls": len(calls), "denied": words["deny"], "asked": words["ask"]}


def _lines(name: str, check: Check) -> list[str]:
    mark = f"{_WORDS[check.state]:<{_MARK}}"
    line = f"{name.capitalize():<{_LABEL}}{mark}{printable(check.text)}"
    first, *more = wrapped(line, "", " " * (_LABEL + _MARK))
    return [
        first.replace(mark, typer.style(mark, fg=_COLOURS[check.state]), 1) if colours() else first,
        *more,
    ]


def _waiting_lines(waiting: list[Waiting]) -> list[str]:
    if not waiting:
        return [f"{'Waiting':<{_LABEL}}nothing waits for you"]
    lines: list[str] = []
    for one in waiting[:_MANY]:
        about = printable(f"{one.id}  {one.about}")
        lines += wrapped(f"{'' if lines else 'Waiting':<{_LABEL}}{about}", "", " " * _LABEL)
    more = f"{len(waiting) - _MANY} more; " if len(waiting) > _MANY else ""
    return [*lines, f"{'':<{_LABEL}}{more}answer with `interlock approve ID` or `interlock deny ID`"]
