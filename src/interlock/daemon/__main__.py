"""`python -I -m interlock.daemon run …`, which the shim and the service manager start."""

from __future__ import annotations

import gc
import sys

from interlock.daemon.paths import places_from
from interlock.errors import InterlockError


def main() -> int:
    """Run the daemon in the foreground."""
    if sys.argv[1:2] != ["run"]:
        sys.stderr.write(
            "usage: python -I -m interlock.daemon run --state=… --socket=…; see `interlock daemon -h`\n"
        )
        return 2
    gc.disable()  # collecting while modules load costs 30 ms of every start; `settle_memory` enables it again
    from interlock.daemon.process import run

    try:
        return run(places_from(sys.argv[2:]))
    except InterlockError as error:
        sys.stderr.write(f"interlock: {error}\n")
        return 1
    except OSError as error:
        # A link in place of a lock or the log, or a failing disk: for people to fix, not a bug.
        where = f" (`{error.filename}`)" if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        sys.stderr.write(f"interlock: the daemon cannot run: {reason}{where}; check that place\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
