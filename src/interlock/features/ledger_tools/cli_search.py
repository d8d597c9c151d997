"""`interlock ledger search`: entries by the words in them."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.dates import SinceOption, UntilOption
from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonOption
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
from interlock.cli.output import colours, printable
from interlock.features.ledger_tools.cli_text import as_document, line, older
from interlock.ledger.entry import Entry
from interlock.search.question import Question, excerpt, parse_question

searching = typer.Typer()


@searching.command(
    epilog="""Example: interlock ledger search 'push "origin main"' --decision deny --since 3d"""
)
def search(
    text: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXT...", help='Words that must all be there; "a phrase"; begin* for a beginning.'
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
    """Find entries by words of their command, paths, prompt, reason, output or evidence, newest first."""
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
    older(entries, limit)
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
