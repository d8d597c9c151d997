"""`interlock session`: context windows, and what one leaves behind for the next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from interlock.cli.help import group
from interlock.errors import InterlockError
from interlock.features.work.cli_request import (
    ForSession,
    Json,
    JsonLines,
    Limit,
    ask_work,
    refused,
    typed_or_piped,
)
from interlock.features.work.cli_text import session_lines, sessions
from interlock.features.work.efforts.handover import LONGEST, as_document, parse_payload
from interlock.features.work.errors import RefusedError

_NONE = "No sessions yet. An agent with Interlock's hooks makes one when it starts."

session = group("See context windows, and hand one over to the next.")

_MISSING = (
    'there is no payload; write it as JSON: {"summary": …, "lastAction": …, "nextSteps": […], '
    '"requiredFiles": […]}'
)


def _payload(typed: str | None) -> str | bytes:
    """What was typed, where it is an object; else what is in the file of that name, or was piped."""
    if typed is None or typed == "-" or typed.lstrip()[:1] in {"", "{"}:
        return typed_or_piped(typed, _MISSING)
    try:
        with Path(typed).open("rb") as file:
            return file.read(LONGEST + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise InterlockError(f"cannot read `{typed}`: {reason}; write the payload to a file first") from error


@session.command("list", epilog="Example: interlock session list --all --effort e12")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Also those that ended.")] = False,
    effort: Annotated[
        str | None,
        typer.Option(metavar="EFFORT", help="Only those of this effort, such as e12.", show_default=False),
    ] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Only those that work on a task of this project.")
    ] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """List the open sessions, newest first."""

    def say(found: dict[str, Any]) -> str:
        none = (
            _NONE
            if everything
            else "No open sessions. `interlock session list --all` shows those that ended."
        )
        return "\n".join(sessions(found["sessions"])) if found["sessions"] else none

    about = {"all": everything, "effort": effort, "here": here, "limit": limit}
    return ask_work("session.list", about, say, as_json=as_json, rows="sessions")


@session.command(epilog="Example: interlock session show 31 --messages 20")
def show(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION", help="Its number, or the host's id or the start of it.", show_default=False
        ),
    ] = None,
    messages: Annotated[int, typer.Option(min=0, max=1000, help="Show this many of the last messages.")] = 10,
    as_json: Json = False,
) -> int:
    """Show one session and its last messages."""
    return ask_work(
        "session.show",
        {"id": name, "messages": messages},
        lambda found: "\n".join(session_lines(found)),
        as_json=as_json,
    )


@session.command(epilog="Example: interlock session dehydrate handover.json")
def dehydrate(
    payload: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="A file with the payload, or the payload itself; `-` or nothing: standard input.",
            show_default=False,
        ),
    ] = None,
    named: ForSession = None,
    as_json: Json = False,
) -> int:
    """End this session, and hand over to the next.

    What you hand over is given to the session that resumes the effort.

    The payload is a JSON object: summary, lastAction, nextSteps (a list), requiredFiles (a list, at most 8);
    handoverInstructions and userHistory may be left out.
    """
    text = _payload(payload)
    try:
        document = as_document(parse_payload(text))
    except RefusedError as error:
        return refused(error, as_json=as_json)

    def say(found: dict[str, Any]) -> str:
        row = found["session"]
        then = "; the next session of its effort starts with it" if row["effort_id"] else ""
        return f"session {row['id']} is dehydrated and has ended{then}"

    return ask_work("session.dehydrate", {"payload": document, "session": named}, say, as_json=as_json)
