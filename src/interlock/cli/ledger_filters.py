"""Which entries a command of `interlock ledger` is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from interlock.cli.dates import parse_times
from interlock.cli.ledger import connected, progress
from interlock.cli.output import printable
from interlock.cli.policy_source import here
from interlock.cli.words import decision_word, probably, tool_word
from interlock.errors import StoreError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.search.question import Question
from interlock.search.search import needs_index, search

SessionOption = Annotated[str | None, typer.Option(help="Only of this session.")]
ActorOption = Annotated[str | None, typer.Option(help="Only by this actor.")]
ToolOption = Annotated[str | None, typer.Option(help="Only about this tool.", callback=tool_word)]
DecisionOption = Annotated[
    str | None, typer.Option(help="Only with this decision: allow, ask or deny.", callback=decision_word)
]
RuleOption = Annotated[str | None, typer.Option(help="Only those that this hook decided.")]
OpOption = Annotated[str | None, typer.Option(help="Only of this kind: decision, evidence, gap …")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="At most this many.")]
BeforeOption = Annotated[
    int | None, typer.Option(min=1, help="Only those before this entry number: the next page.")
]


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
    """What was typed, with its times read."""
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
    """The newest entries that fit; the index is asked only where the ledger itself would be slow."""
    with connected() as connection:
        reader = LedgerReader(connection)
        found = _page(wanted, question, limit, before, connection, reader)
        if not found and before is None:
            check_names(wanted, reader)
        return found


def _page(
    wanted: Filter,
    question: Question | None,
    limit: int,
    before: int | None,
    connection: sqlite3.Connection,
    reader: LedgerReader,
) -> list[Entry]:
    if question is None and not needs_index(wanted):
        return reader.page(wanted, limit=limit, before=before)
    try:
        return search(
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
        return reader.page(wanted, limit=limit, before=before)


def check_names(wanted: Filter, reader: LedgerReader) -> None:
    """Where nothing was found: raise for a name that is surely a recorded one, mistyped."""
    for column in ("actor", "tool", "op"):
        name = getattr(wanted, column)
        if name is not None:
            probably(name, reader.names(column), "kind of entry" if column == "op" else column)


_PAGE: Final = 500


def pages_of(wanted: Filter) -> Iterator[Entry]:
    """All entries that fit, newest first; no more than a page is held."""
    before = None
    while page := page_of(wanted, limit=_PAGE, before=before):
        yield from page
        before = page[-1].seq
