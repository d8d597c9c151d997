"""The commands that learn from what was decided."""

from __future__ import annotations

import typer

from interlock.features.learning.cli_replay import replay
from interlock.features.learning.cli_suggest import suggest


def add(app: typer.Typer) -> None:
    """Give the program its commands that try a policy on the past, and propose grants."""
    app.command(epilog="Example: interlock replay --config new.key --since 7d")(replay)
    app.command(epilog="Example: interlock suggest --since 30d > grants.diff")(suggest)
