"""A program the shim starts as the daemon: it tells what it was started with, then answers every call."""

import contextlib
import json
import os
import socket
import struct
import sys
from pathlib import Path

PATH, LOG = sys.argv[1:3]
DESCRIPTORS = [Path(f"/proc/self/fd/{number}") for number in range(256)]
IDLE = 120  # seconds without a call after which it ends by itself


def told() -> str:
    """What a daemon can see of how it was started."""
    facts = {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "session": os.getsid(0),
        "cwd": str(Path.cwd()),
        "env": dict(os.environ),
        "open": sorted(str(d.readlink()) for d in DESCRIPTORS if d.exists()),
    }
    return json.dumps(facts) + "\n"


def main() -> None:
    """Serve until nobody calls any more."""
    facts = told()
    with Path(LOG).open("a") as log:
        log.write(facts)
    Path(PATH).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(PATH)
    listener.listen(64)
    listener.settimeout(IDLE)
    with contextlib.suppress(TimeoutError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(struct.pack("<4sBII", b"ILR1", 0, 6, 0) + b"served")


main()
