"""The law of the other end's process and user."""

from __future__ import annotations

import os
import socket

import pytest

from interlock.daemon.server import peer_of


@pytest.mark.req("Z01")
def test_the_kernel_says_who_connected() -> None:
    """Process and user are those of the process that made the connection, nothing it sent."""
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        theirs.sendall(b"uid=0")

        assert peer_of(ours) == (os.getpid(), os.getuid())
