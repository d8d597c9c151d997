"""Starting the server, or saying what is missing for that."""

from __future__ import annotations

from interlock.cli.setup.mcp_sdk import require_sdk
from interlock.daemon.paths import Places


def run(places: Places) -> None:
    """Serve until the client closes the input."""
    require_sdk()
    # Takes most of a second to load, and nothing else needs it.
    from interlock.features.mcp.server import serve  # noqa: PLC0415 - as said above

    serve(places)
