"""`interlock ledger tail`, `list` and `show`: seeing what was recorded."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from interlock.cli.dates import SinceOption, UntilOption
from interlock.cli.json_output import print_json
from interlock.cli.ledger import POLL_SECONDS, JsonOption, connected, reading
from interlock.cli.ledger_filters import (
    ActorOption,
    BeforeOption,
    DecisionOption,
    LimitOption,
    OpOption,
    RuleOption,
    SessionOption,
    ToolOption,
    filter_of,
    page_of,
)
from interlock.features.ledger_tools.cli_text import as_document, details, line, older, table
from interlock.ledger.reader import LedgerReader
from interlock.ledger.report import standing_of
from interlock.search.search import fits

seeing = typer.Typer()


@seeing.command(epilog="Example: interlock ledger tail -n 20 --follow --decision deny")
def tail(
    count: Annotated[int, typer.Option("-n", "--lines", min=0, max=10_000, help="How many entries.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is recorded next.")] = False,
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    rule: RuleOption = None,
    op: OpOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print the last entries, oldest first."""
    wanted = filter_of(session, actor, tool, decision, rule, op, since, until)
    with reading() as reader:
        # Looked at first: what is recorded while the page is read comes after it.
        seen = max((entry.seq for entry in reader.tail(1)), default=0)
        entries = page_of(wanted, limit=count, before=seen + 1)[::-1] if count else []
        while True:
            for entry in entries:
                if as_json:
                    print_json(as_document(entry))
                else:
                    typer.echo(line(entry))
            if not follow:
                return 0
            sys.stdout.flush()
            new = reader.after(seen)
            entries = [entry for entry in new if fits(entry, wanted)]
            if new:
                seen = new[-1].seq
            else:
                time.sleep(POLL_SECONDS)


@seeing.command("list", epilog="Example: interlock ledger list --decision deny --since 3d --limit 10")
def list_entries(
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    rule: RuleOption = None,
    op: OpOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
    before: BeforeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print entries, newest first."""
    wanted = filter_of(session, actor, tool, decision, rule, op, since, until)
    entries = page_of(wanted, limit=limit, before=before)
    if as_json:
        for entry in entries:
            print_json(as_document(entry))
        return 0
    typer.echo("\n".join(table(entries)) if entries else "no entries")
    older(entries, limit)
    return 0


@seeing.command(epilog="Example: interlock ledger show 17")
def show(
    name: Annotated[str, typer.Argument(metavar="SEQ|ID", help="The entry's number or its id.")],
    as_json: JsonOption = False,
) -> int:
    """Print one entry whole, with its place in the chain."""
    with connected() as connection:
        entry = LedgerReader(connection).show(name)
        standing = standing_of(connection, entry)
    if as_json:
        checkpoint = standing.checkpoint.document if standing.checkpoint else None
        chain = {"first": standing.first, "last": standing.last, "checkpoint": checkpoint}
        print_json({**as_document(entry), "holds": standing.holds, "chain": chain})
    else:
        typer.echo("\n".join(details(entry, standing)))
    return 0
