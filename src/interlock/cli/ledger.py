"""Reading this home's ledger: connections, filters and pages of entries for the commands."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Final, Protocol, TypeVar

import typer

from interlock.cli.output import Json, printable
from interlock.cli.policy_source import here
from interlock.cli.words import decision_word, parse_times, probably, tool_word
from interlock.errors import InterlockError, StoreError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.search.question import Question
from interlock.search.search import needs_index, search
from interlock.store.database import open_to_read

POLL_SECONDS: Final = 0.2

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one entry a line.")]
JsonResult = Json


@contextmanager
def connected() -> Iterator[sqlite3.Connection]:
    """Open the database of this home for reading."""
    with closing(open_to_read(here().database)) as connection:
        yield connection


@contextmanager
def reading() -> Iterator[LedgerReader]:
    """Open the ledger of this home for reading."""
    with connected() as connection:
        yield LedgerReader(connection)


def target(out: Path) -> Path:
    """Return the path of a file to write, whose folder must exist."""
    if not out.parent.is_dir():
        raise InterlockError(f"there is no folder `{out.parent}`; create it or name another file with --out")
    return out


def progress(word: str) -> Callable[[int], None] | None:
    """A function that shows on a terminal how many entries have been read; None for a file or a pipe."""
    if not sys.stderr.isatty():
        return None
    shown = time.monotonic()

    def tell(count: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown >= POLL_SECONDS:
            shown = now
            sys.stderr.write(f"\r{word}: {count}\r")

    return tell


class HasSeq(Protocol):
    """An entry of this ledger, or of the team's."""

    @property
    def seq(self) -> int: ...


SessionOption = Annotated[str | None, typer.Option(help="Only this session.")]
ActorOption = Annotated[str | None, typer.Option(help="Only this actor.")]
ToolOption = Annotated[str | None, typer.Option(help="Only this tool.", callback=tool_word)]
DecisionOption = Annotated[
    str | None, typer.Option(help="Only this decision: allow, ask or deny.", callback=decision_word)
]
RuleOption = Annotated[str | None, typer.Option(help="Only decisions made by this hook.")]
OpOption = Annotated[str | None, typer.Option(help="Only this kind of entry: decision, evidence, gap …")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Show at most this many.")]
BeforeOption = Annotated[
    int | None, typer.Option(min=1, help="Only entries before this number, to see the next page.")
]


Recorded = TypeVar("Recorded", bound=HasSeq)


def follow(
    entries: Iterable[Recorded],
    seen: int,
    after: Callable[[int], list[Recorded]],
    seconds: float = POLL_SECONDS,
) -> Iterator[Recorded]:
    """These entries, then those that are recorded later, until the command is stopped."""
    yield from entries
    while True:
        sys.stdout.flush()
        new = after(seen)
        yield from new
        if new:
            seen = new[-1].seq
        else:
            time.sleep(seconds)


def say_older(entries: Sequence[HasSeq], limit: int) -> None:
    """Say where the next page begins, when there may be one."""
    if len(entries) == limit and entries[-1].seq > 1:
        typer.echo(f"older entries: --before {entries[-1].seq}", err=True)


def filter_of(
    session: str | None,
    actor: str | None,
    tool: str | None,
    decision: str | None,
    rule: str | None,
    op: str | None,
    since: str | None,
    until: str | None,
) -> Filter:
    """The options as a filter, with their times read."""
    first, last = parse_times(since, until)
    return Filter(
        session=session,
        actor=actor,
        tool=tool,
        decision=decision,
        rule=rule,
        op=op,
        since=first,
        until=last,
    )


def page_of(
    wanted: Filter, question: Question | None = None, *, limit: int, before: int | None = None
) -> list[Entry]:
    """The newest entries that match; the index is used only where the ledger itself would be slow."""
    with connected() as connection:
        reader = LedgerReader(connection)
        found = None
        if question is not None or needs_index(wanted):
            try:
                found = search(
                    here().database,
                    connection,
                    wanted,
                    question,
                    limit=limit,
                    before=before,
                    progress=progress("indexed"),
                )
            except StoreError as error:
                if question is not None:
                    raise
                typer.echo(printable(f"note: {error}; reading all entries instead"), err=True)
        if found is None:
            found = reader.page(wanted, limit=limit, before=before)
        if not found and before is None:
            check_names(wanted, reader)
        return found


def check_names(wanted: Filter, reader: LedgerReader) -> None:
    """After a search without results: raise for a name that is a recorded one, mistyped."""
    for column in ("actor", "tool", "op"):
        name = getattr(wanted, column)
        if name is not None:
            probably(name, reader.names(column), "kind of entry" if column == "op" else column)


_PAGE: Final = 500


def pages_of(wanted: Filter) -> Iterator[Entry]:
    """All entries that match, newest first; only one page is in memory."""
    before = None
    while page := page_of(wanted, limit=_PAGE, before=before):
        yield from page
        before = page[-1].seq
