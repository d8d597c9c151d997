"""`interlock ledger`: see, verify and keep what was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from interlock.cli.help import Group
from interlock.cli.ledger import (
    ActorOption,
    BeforeOption,
    DecisionOption,
    JsonOption,
    LimitOption,
    OpOption,
    RuleOption,
    SessionOption,
    ToolOption,
    filter_of,
    page_of,
    reading,
    say_older,
)
from interlock.cli.ledger import follow as follow_entries
from interlock.cli.output import colours, print_json, printable, screen_width, table
from interlock.cli.people_only import require_person
from interlock.cli.show import Verbose, as_document, show_entry
from interlock.cli.words import SinceOption, UntilOption
from interlock.features.ledger_tools.cli_maintenance import maintenance
from interlock.features.ledger_tools.cli_proof import proof
from interlock.features.ledger_tools.cli_stats import statistics
from interlock.ledger.entry import Entry
from interlock.search.question import Question, excerpt, parse_question
from interlock.search.search import fits

_HEADER = ("seq", "time", "actor", "session", "op", "event", "tool", "decision")
_TIME = 1
_CUT = {2: 8, 3: 5, 5: 6, 6: 4}  # of which a narrow screen shows the beginning, and how much at least


def _cells(entry: Entry) -> tuple[str, ...]:
    return (
        str(entry.seq),
        entry.ts,
        entry.actor,
        entry.session_id or "-",
        entry.op,
        entry.event or "-",
        entry.tool or "-",
        entry.decision or "-",
    )


def entry_table(entries: Sequence[Entry]) -> list[str]:
    """Entries as aligned rows under a header, as wide as the screen."""
    rows = [list(_cells(entry)) for entry in entries]
    width = screen_width()
    if width is not None:
        for row in rows:
            row[_TIME] = f"{row[_TIME][:19]}Z"  # seconds are enough to look at, and --since takes them
    return table(_HEADER, rows, cut=_CUT)


def line(entry: Entry) -> str:
    """One entry as a line on its own, for output that never ends and so cannot be aligned."""
    return printable("  ".join(_cells(entry)))


class _LedgerGroup(Group):
    """Still takes `ledger fleet` for `ledger team`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, "team" if cmd_name == "fleet" else cmd_name)


ledger = typer.Typer(cls=_LedgerGroup, help="See and verify what was recorded.", no_args_is_help=True)


@ledger.callback()
def for_people() -> None:
    """See and verify what was recorded."""
    require_person("ledger")


@ledger.command(epilog="Example: interlock ledger tail -n 20 --follow --decision deny")
def tail(
    count: Annotated[
        int, typer.Option("-n", "--lines", min=0, max=10_000, help="Show this many entries.")
    ] = 20,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Continue with new entries as they are recorded.")
    ] = False,
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
        for entry in follow_entries(entries, seen, reader.after) if follow else entries:
            if fits(entry, wanted):
                if as_json:
                    print_json(as_document(entry))
                else:
                    typer.echo(line(entry))
    return 0


@ledger.command("list", epilog="Example: interlock ledger list --decision deny --since 3d --limit 10")
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
    typer.echo("\n".join(entry_table(entries)) if entries else "no entries")
    say_older(entries, limit)
    return 0


@ledger.command(epilog="Example: interlock ledger show 17")
def show(
    name: Annotated[str, typer.Argument(metavar="SEQ|ID", help="The entry's number or its id.")],
    verbose: Verbose = False,
    as_json: JsonOption = False,
) -> int:
    """Show one entry in full, and its place in the chain."""
    return show_entry(name, verbose=verbose, as_json=as_json)


@ledger.command(epilog="""Example: interlock ledger search 'push "origin main"' --decision deny --since 3d""")
def search(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...", help='Words that must all appear; "a phrase"; begin* for a prefix.'
        ),
    ],
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    rule: RuleOption = None,
    op: OpOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 20,
    before: BeforeOption = None,
    as_json: JsonOption = False,
) -> int:
    """Find entries by their words, newest first.

    It looks at command, paths, prompt, reason, output and evidence.
    """
    question = parse_question(" ".join(text))
    wanted = filter_of(session, actor, tool, decision, rule, op, since, until)
    entries = page_of(wanted, question, limit=limit, before=before)
    if as_json:
        for entry in entries:
            print_json({**as_document(entry), "match": excerpt(entry, question)[0]})
        return 0
    for entry in entries:
        typer.echo(f"{line(entry)}\n    {_marked(entry, question)}")
    if not entries:
        typer.echo("no entries")
    say_older(entries, limit)
    return 0


def _marked(entry: Entry, question: Question) -> str:
    text, spans = excerpt(entry, question)
    if not colours():
        return printable(text)
    shown, end = "", 0
    for start, stop in spans:
        if start >= end:
            shown += printable(text[end:start]) + typer.style(
                printable(text[start:stop]), bold=True, fg="yellow"
            )
            end = stop
    return shown + printable(text[end:])


def add(app: typer.Typer) -> None:
    """Give the program its commands about the ledger."""
    for part in (statistics, proof, maintenance):
        ledger.add_typer(part)
    app.add_typer(ledger, name="ledger")
