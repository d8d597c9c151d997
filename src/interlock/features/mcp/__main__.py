"""`python -I -m interlock.mcp_server`: what clients are told to start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from interlock.daemon.paths import places_of
from interlock.errors import InterlockError
from interlock.features.mcp.starting import run
from interlock.hosts.launching import locate_installed


def main() -> int:
    """Serve the home of whoever started this; what is missing is said in one sentence."""
    try:
        run(places_of(locate_installed(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())))
    except (InterlockError, OSError) as error:
        sys.stderr.write(f"interlock: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
