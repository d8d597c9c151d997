"""`interlock ledger prune`: removing the oldest entries now."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Final

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.ledger import POLL_SECONDS, JsonResult, connected, progress
from interlock.cli.passphrase import has_terminal
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.ledger.chain import Head
from interlock.ledger.ends import read_base
from interlock.ledger.reader import LedgerReader
from interlock.ledger.retention import find_end, whole
from interlock.policy.settings.ledger import Retention, age, size

pruning = typer.Typer()
_PATIENCE_SECONDS: Final = 600.0


@pruning.command(epilog="Example: interlock ledger prune --days 7 --dry-run")
def prune(
    days: Annotated[str | None, typer.Option(metavar="AGE", help="Remove what is older: 30, 12h.")] = None,
    most: Annotated[
        str | None, typer.Option("--size", metavar="SIZE", help="Remove the oldest beyond this: 500MB.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    unshipped: Annotated[
        bool, typer.Option("--unshipped", help="Also what the team ledger does not have yet.")
    ] = False,
    as_json: JsonResult = False,
) -> int:
    """Remove the oldest entries for good; a signed entry says which, and the rest still verifies."""
    rule = _rule(days, most)
    found = _found(rule)
    if found is None:
        return _said({"removed": 0, "last": None, "rule": None}, "nothing to remove", as_json=as_json)
    first, last, words = found
    count = last.seq - first + 1
    told = f"{count} entries, {first} to {last.seq} ({words})"
    if dry_run:
        document = {"removed": 0, "would_remove": count, "first": first, "last": last.seq, "rule": words}
        return _said(document, f"would remove {told}", as_json=as_json)
    require_person("ledger prune", passphrase=True)
    if not yes and not _confirmed(told):
        typer.echo("nothing was removed", err=True)
        return 1
    answer = ask_daemon("ledger.prune", {"last": last.seq, "rule": words, "unshipped": unshipped})
    _wait(answer["first"], last.seq)
    return _said({"removed": answer["count"], **answer, "rule": words}, f"removed {told}", as_json=as_json)


def _rule(days: str | None, most: str | None) -> Retention:
    if (days is None) == (most is None):
        raise InterlockError("say what is to go: --days AGE or --size SIZE")
    try:
        seconds = age(days) if days is not None else None
        return Retention(seconds=seconds, size=size(most) if most is not None else None)
    except ValueError as error:
        raise InterlockError(str(error)) from None


def _found(rule: Retention) -> tuple[int, Head, str] | None:
    with connected() as connection:
        newest = LedgerReader(connection).tail(1)
        if not newest:
            return None
        end = whole(find_end(connection, rule, time.time(), Head(newest[0].seq, newest[0].hash)))
        return (read_base(connection).seq + 1, *end) if end else None


def _confirmed(told: str) -> bool:
    if not sys.stdin.isatty() or not has_terminal():
        raise InterlockError("nobody is here to confirm; look at it with --dry-run, then say --yes")
    return typer.confirm(f"Remove {told} for good?", err=True)


def _wait(first: int, last: int) -> None:
    """The daemon removes a little at a time, so that nobody waits for it; here somebody does."""
    tell, end = progress("removed"), time.monotonic() + _PATIENCE_SECONDS
    with connected() as connection:
        while (seq := read_base(connection).seq) < last:
            if time.monotonic() > end:
                raise InterlockError(f"entries up to {seq} are gone, the rest follows; see {here().state}")
            if tell is not None:
                tell(seq - first + 1)
            time.sleep(POLL_SECONDS / 4)


def _said(document: dict[str, object], text: str, *, as_json: bool) -> int:
    if as_json:
        print_json(document)
    else:
        typer.echo(text)
    return 0
