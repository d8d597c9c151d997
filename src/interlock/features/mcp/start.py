"""`python -I -m interlock.mcp_server`: what clients are told to start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from interlock.cli.setup.mcp_sdk import require_sdk
from interlock.daemon.paths import Places, places_of
from interlock.errors import InterlockError
from interlock.hosts.launching import locate_installed


def main() -> int:
    """Serve the home of whoever started this."""
    try:
        run(places_of(locate_installed(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())))
    except (InterlockError, OSError) as error:
        sys.stderr.write(f"interlock: {error}\n")
        return 2
    return 0


def run(places: Places) -> None:
    """Serve until the client closes the input."""
    require_sdk()
    from interlock.features.mcp.server import serve

    serve(places)
