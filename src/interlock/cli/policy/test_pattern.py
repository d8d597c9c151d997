"""`interlock hooks test-pattern`: does this pattern match that call?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from interlock.cli.call_arguments import tool_call
from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.policy_source import folder
from interlock.cli.words import tool_word
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.patterns.matcher import parse_matcher


class Side(StrEnum):
    """On which list the pattern stands."""

    DENY = "deny"
    ALLOW = "allow"


def try_pattern(
    pattern: Annotated[
        str, typer.Argument(help="`Tool`, `Tool(glob)`, or several joined by `|`.", show_default=False)
    ],
    tool: Annotated[str, typer.Argument(help="The tool to call.", show_default=False, callback=tool_word)],
    args: Annotated[
        str, typer.Argument(help="Its main argument: the command, path or address.", show_default=False)
    ],
    side: Annotated[
        Side, typer.Option("--as", help="deny: any part of a command matches. allow: every part must.")
    ] = Side.DENY,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Say whether a pattern matches a call.

    It prints `match` (exit 0) or `no match` (exit 1); a bad pattern is exit 2.
    """
    matcher = parse_matcher(pattern)
    event = Event(name=EventName.PRE_TOOL_USE, cwd=str(folder()), tool=tool_call(tool, args))
    view = LocalCallView(event, PatternIndex(matcher.patterns, STANDARD_TOOLS))
    matches = matcher.fires(view, every_part=side is Side.ALLOW)
    word = "match" if matches else "no match"
    if as_json:
        result = {"result": word, "pattern": pattern, "tool": tool, "as": side, "unread": view.unread}
        print_json(result)
    else:
        typer.echo(word)
        if not matches and view.unread and side is Side.ALLOW:
            note = f"note: an allow pattern never matches a command that Interlock cannot read: {view.unread}"
            typer.echo(printable(note), err=True)
    return 0 if matches else 1
