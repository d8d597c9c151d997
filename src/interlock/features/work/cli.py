"""The commands about work that outlives a context window."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.help import group
from interlock.features.work.cli_effort import effort
from interlock.features.work.cli_request import (
    Json,
    JsonLines,
    Limit,
    ask_work,
)
from interlock.features.work.cli_session import session
from interlock.features.work.cli_text import agents as table
from interlock.features.work.cli_text import messages as lines
from interlock.features.work.cli_text import task_lines, tasks


def agents(limit: Limit = 200, as_json: JsonLines = False) -> int:
    """List the agents, those that need you most first.

    `interlock fleet` shows them live.
    """

    def say(found: dict[str, Any]) -> str:
        return (
            "\n".join(table(found["agents"]))
            if found["agents"]
            else "No agents have been seen yet. Start one in a project with `interlock run -- claude`."
        )

    return ask_work("agents", {"limit": limit}, say, as_json=as_json, rows="agents")


def messages(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION", help="Its number, or the host's id or the start of it.", show_default=False
        ),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(metavar="EFFORT", help="All sessions of this effort, such as e12.", show_default=False),
    ] = None,
    before: Annotated[
        int | None, typer.Option(metavar="N", help="Only those before this message.", show_default=False)
    ] = None,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """Print the last messages, oldest first.

    An agent sees those of its own effort only.
    """

    def say(found: dict[str, Any]) -> str:
        return "\n".join(lines(found["messages"])) if found["messages"] else "no messages"

    about = {"id": session, "effort": effort, "before": before, "limit": limit}
    return ask_work("messages", about, say, as_json=as_json, rows="messages")


task = group("See tasks and the efforts made on them.")


@task.command("list", epilog="Example: interlock task list --everywhere")
def list_(
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Of all projects.")] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """List the tasks of this project, last active first."""

    def say(found: dict[str, Any]) -> str:
        none = "No tasks. `interlock effort start TASK SKILL` begins one."
        return "\n".join(tasks(found["tasks"])) if found["tasks"] else none

    about = {"everywhere": everywhere, "limit": limit}
    return ask_work("task.list", about, say, as_json=as_json, rows="tasks")


@task.command(epilog="Example: interlock task show work/checkout")
def show(
    named: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK", help="Folder or number; default: the session's own.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show one task and its efforts."""
    return ask_work("task.show", {"task": named}, lambda found: "\n".join(task_lines(found)), as_json=as_json)


def add(app: typer.Typer) -> None:
    """Give the program its commands about sessions, tasks and efforts."""
    app.add_typer(session, name="session")
    app.add_typer(effort, name="effort")
    app.add_typer(task, name="task")
    app.command(epilog="Example: interlock agents --json")(agents)
    app.command(epilog="Example: interlock messages 31 --limit 20")(messages)
