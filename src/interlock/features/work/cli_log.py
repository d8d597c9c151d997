"""`interlock log`: write down what was done on an effort."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.output import printable
from interlock.features.work.cli_request import Effort, ForAgent, ForSession, Json, ask_work, typed_or_piped


def log(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="The entry, in Markdown; `-` or nothing: standard input.",
            show_default=False,
        ),
    ] = None,
    number: Effort = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Add an entry to the effort's log, and count its calls from 0 again.

    The log is N_SKILL_LOG.md in the task's folder. The entry's first `##` heading gets the time.
    """
    entry = typed_or_piped(
        text, "there is nothing to log; say what was done, as in `interlock log 'found it'`"
    )

    def say(found: dict[str, Any]) -> str:
        return printable(f"logged in {found['path']}: {found['heading']}")

    about = {"text": entry, "effort": number, "session": session, "agent": agent}
    return ask_work("log", about, say, as_json=as_json)
