"""Starting the server, or saying what is missing for that."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from interlock.daemon.paths import Places
from interlock.errors import InterlockError

INSTALL: Final = "pip install 'interlock[mcp]'"


def require_sdk() -> None:
    """Say how to get the SDK where it is not installed."""
    if find_spec("mcp") is None:
        raise InterlockError(f"the MCP SDK is not installed; run `{INSTALL}`")


def run(places: Places) -> None:
    """Serve until the client closes the input."""
    require_sdk()
    # Takes most of a second to load, and nothing else needs it.
    from interlock.features.mcp.server import serve  # noqa: PLC0415 - as said above

    serve(places)
