"""Starting the server, or saying what is missing for that."""

from __future__ import annotations

from interlock.cli.setup.mcp_sdk import require_sdk
from interlock.daemon.paths import Places


def run(places: Places) -> None:
    """Serve until the client closes the input."""
    require_sdk()
    from interlock.features.mcp.server import serve

    serve(places)
