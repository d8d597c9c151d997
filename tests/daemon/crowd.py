"""Run as a program: holds connections to a daemon and makes those anew that it closes, until its input ends.

`python crowd.py SOCKET COUNT [WORDS]` sends WORDS on each, prints a line once all were made, and goes on.
"""

from __future__ import annotations

import select
import socket
import sys
from contextlib import suppress


def connected(path: str, words: bytes) -> socket.socket:
    """One more connection."""
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)  # however long that takes
    with suppress(OSError):  # closed already
        peer.sendall(words)
    peer.setblocking(False)
    return peer


def ended(peer: socket.socket) -> bool:
    """Whether the daemon has closed it; what it says is dropped."""
    try:
        return peer.recv(4096) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def main() -> None:
    """Hold them."""
    path, count, words = sys.argv[1], int(sys.argv[2]), "".join(sys.argv[3:]).encode()
    held: dict[int, socket.socket] = {}
    look = select.poll()
    look.register(sys.stdin, select.POLLHUP)

    def hold() -> None:
        peer = connected(path, words)
        held[peer.fileno()] = peer
        look.register(peer, select.POLLIN)

    for _ in range(count):
        hold()
    sys.stdout.write("held\n")
    sys.stdout.flush()
    while True:
        for descriptor, _ in look.poll():
            if descriptor == sys.stdin.fileno():
                return
            if ended(held[descriptor]):
                look.unregister(descriptor)
                held.pop(descriptor).close()
                hold()


if __name__ == "__main__":
    main()
