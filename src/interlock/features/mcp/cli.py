"""`interlock mcp`: a server of tools for agents."""

from __future__ import annotations

import typer

from interlock.cli.policy_source import here
from interlock.daemon.paths import places_of
from interlock.features.mcp.starting import run


def mcp() -> int:
    """Serve tools to agents over MCP.

    The tools make commitments, search, explain calls and request approvals.

    Started by the agent; `interlock install claude-code --mcp` tells it how.
    """
    run(places_of(here()))
    return 0


def add(app: typer.Typer) -> None:
    """Give the program its server of tools."""
    example = "Example: interlock mcp; agents start it, after `interlock install claude-code --mcp`"
    app.command(epilog=example)(mcp)
