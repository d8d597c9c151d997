"""The commands about work that outlives a context window."""

from __future__ import annotations

import typer

from interlock.features.work.cli_agents import agents
from interlock.features.work.cli_effort import effort
from interlock.features.work.cli_log import log
from interlock.features.work.cli_messages import messages
from interlock.features.work.cli_session import session
from interlock.features.work.cli_task import task


def add(app: typer.Typer) -> None:
    """Give the program its commands about sessions, tasks and efforts."""
    app.add_typer(session, name="session")
    app.add_typer(effort, name="effort")
    app.add_typer(task, name="task")
    app.command(epilog="Example: interlock log 'found it: guests have no cart'")(log)
    app.command(epilog="Example: interlock agents --json")(agents)
    app.command(epilog="Example: interlock messages 31 --limit 20")(messages)
