"""`interlock messages`: what was said in a session or an effort."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.features.work.cli_request import JsonLines, Limit, ask_work
from interlock.features.work.cli_text import messages as lines


def messages(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION", help="Its number, or the host's id or its beginning.", show_default=False
        ),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(metavar="EFFORT", help="All sessions of this one, as in e12.", show_default=False),
    ] = None,
    before: Annotated[
        int | None, typer.Option(metavar="N", help="Only those before this message.", show_default=False)
    ] = None,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """Print the last messages, the oldest of them first.

    An agent sees those of its own effort only.
    """

    def say(found: dict[str, Any]) -> str:
        return "\n".join(lines(found["messages"])) if found["messages"] else "no messages"

    about = {"id": session, "effort": effort, "before": before, "limit": limit}
    return ask_work("messages", about, say, as_json=as_json, rows="messages")
