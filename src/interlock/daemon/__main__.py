"""`python -I -m interlock.daemon run …`: what the shim and the service manager start."""

from __future__ import annotations

import sys

from interlock.daemon.places import places_from
from interlock.daemon.running import run
from interlock.errors import InterlockError


def main() -> int:
    """Run the daemon in the foreground."""
    if sys.argv[1:2] != ["run"]:
        sys.stderr.write(
            "usage: python -I -m interlock.daemon run --state=… --socket=…; see `interlock daemon -h`\n"
        )
        return 2
    try:
        return run(places_from(sys.argv[2:]))
    except InterlockError as error:
        sys.stderr.write(f"interlock: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
