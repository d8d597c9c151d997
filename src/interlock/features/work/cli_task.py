"""`interlock task`: containers of work, a folder each."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.features.work.cli_details import task_lines
from interlock.features.work.cli_request import Json, JsonLines, Limit, ask_work
from interlock.features.work.cli_text import tasks

task = typer.Typer(help="See tasks and the efforts made on them.", no_args_is_help=True)


@task.command("list", epilog="Example: interlock task list --everywhere")
def list_(
    everywhere: Annotated[bool, typer.Option("--everywhere", help="Of all projects.")] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """Print the tasks of this project, the last active first."""

    def say(found: dict[str, Any]) -> str:
        none = "no tasks; `interlock effort start TASK SKILL` begins one"
        return "\n".join(tasks(found["tasks"])) if found["tasks"] else none

    about = {"everywhere": everywhere, "limit": limit}
    return ask_work("task.list", about, say, as_json=as_json, rows="tasks")


@task.command(epilog="Example: interlock task show work/checkout")
def show(
    named: Annotated[
        str | None,
        typer.Argument(metavar="TASK", help="Folder or number; else the session's own.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> int:
    """Print one task and its efforts."""
    return ask_work("task.show", {"task": named}, lambda found: "\n".join(task_lines(found)), as_json=as_json)
