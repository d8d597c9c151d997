"""The commands about work that outlives a context window."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from interlock.cli.daemon_client import refused
from interlock.cli.help import group
from interlock.cli.output import Json
from interlock.errors import InterlockError
from interlock.features.work.cli_effort import effort
from interlock.features.work.cli_text import (
    ForSession,
    JsonLines,
    Limit,
    ask_work,
    list_work,
    session_lines,
    sessions,
    task_lines,
    tasks,
    typed_or_piped,
)
from interlock.features.work.cli_text import agents as table
from interlock.features.work.cli_text import messages as lines
from interlock.features.work.files import LONGEST_PAYLOAD, as_document, parse_payload
from interlock.features.work.records import RefusedError

SessionArgument = Annotated[
    str | None, typer.Argument(metavar="SESSION", help="Its number or its ID; the start of the ID is enough.")
]
_NO_SESSIONS = "No sessions yet. An agent with Interlock's hooks starts one."

session = group("See context windows, and hand one over to the next.")

_NO_PAYLOAD = (
    'there is no payload; write it as JSON: {"summary": …, "lastAction": …, "nextSteps": […], '
    '"requiredFiles": […]}'
)


def _payload(typed: str | None) -> str | bytes:
    """What was typed, where it is an object; else what is in the file of that name, or was piped."""
    if typed is None or typed == "-" or typed.lstrip()[:1] in {"", "{"}:
        return typed_or_piped(typed, _NO_PAYLOAD)
    try:
        with Path(typed).open("rb") as file:
            return file.read(LONGEST_PAYLOAD + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
        raise InterlockError(f"cannot read `{typed}`: {reason}; write the handover there first") from error


@session.command("list", epilog="Example: interlock session list --all --effort e12")
def list_sessions(
    everything: Annotated[bool, typer.Option("--all", help="Include sessions that have ended.")] = False,
    effort: Annotated[
        str | None, typer.Option(metavar="EFFORT", help="Only this effort, such as e12.")
    ] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Only sessions that work on a task of this project.")
    ] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """List the open sessions, newest first."""

    none = "No open sessions. `interlock session list --all` shows those that ended."
    about = {"all": everything, "effort": effort, "here": here, "limit": limit}
    return list_work(
        "session.list", about, "sessions", sessions, _NO_SESSIONS if everything else none, as_json=as_json
    )


@session.command("show", epilog="Example: interlock session show 31 --messages 20")
def show_session(
    name: SessionArgument = None,
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
        return refused(error.document, as_json=as_json)

    def say(found: dict[str, Any]) -> str:
        row = found["session"]
        then = "; the next session of its effort starts with it" if row["effort_id"] else ""
        return f"session {row['id']} is dehydrated and has ended{then}"

    return ask_work("session.dehydrate", {"payload": document, "session": named}, say, as_json=as_json)


def agents(limit: Limit = 200, as_json: JsonLines = False) -> int:
    """List the agents, those that need you most first.

    `interlock fleet` shows them live.
    """
    none = "No agents have been seen yet. Start one in a project with `interlock run -- claude`."
    return list_work("agents", {"limit": limit}, "agents", table, none, as_json=as_json)


def messages(
    session: SessionArgument = None,
    effort: Annotated[
        str | None, typer.Option(metavar="EFFORT", help="All sessions of this effort, such as e12.")
    ] = None,
    before: Annotated[int | None, typer.Option(metavar="N", help="Only messages before this one.")] = None,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """Print the last messages, oldest first.

    An agent sees only the messages of its own effort.
    """
    about = {"id": session, "effort": effort, "before": before, "limit": limit}
    return list_work("messages", about, "messages", lines, "No messages.", as_json=as_json)


task = group("See tasks and the efforts made on them.")


@task.command("list", epilog="Example: interlock task list --everywhere")
def list_tasks(
    everywhere: Annotated[bool, typer.Option("--everywhere", help="List all projects.")] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """List the tasks of this project, last active first."""
    none = "No tasks. `interlock effort start TASK SKILL` starts one."
    about = {"everywhere": everywhere, "limit": limit}
    return list_work("task.list", about, "tasks", tasks, none, as_json=as_json)


@task.command("show", epilog="Example: interlock task show work/checkout")
def show_task(
    named: Annotated[
        str | None, typer.Argument(metavar="TASK", help="Folder or number; default: the session's own.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show one task and its efforts."""
    return ask_work("task.show", {"task": named}, lambda found: "\n".join(task_lines(found)), as_json=as_json)


def add(app: typer.Typer) -> None:
    app.add_typer(session, name="session")
    app.add_typer(effort, name="effort")
    app.add_typer(task, name="task")
    app.command(epilog="Example: interlock agents --json")(agents)
    app.command(epilog="Example: interlock messages 31 --limit 20")(messages)
