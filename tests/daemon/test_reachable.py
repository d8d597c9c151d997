"""A daemon nobody can reach ends by itself."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest
from tests.daemon.home import PATIENCE, Home

from interlock.daemon.process import OwnSocket


def bound(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    return listening


async def test_it_ends_when_its_socket_is_gone_or_anothers(place: Home) -> None:
    """Removed or replaced, the path no longer leads to it."""
    place.folder.mkdir(exist_ok=True)
    path = place.folder / "s"
    with bound(path):
        own, ended = OwnSocket(path), asyncio.Event()
        watch = asyncio.create_task(own.watch(ended.set, seconds=0.01))
        await asyncio.sleep(0.05)
        assert not ended.is_set()

        path.unlink()
        await asyncio.wait_for(ended.wait(), PATIENCE)
        await watch
    assert not own.in_place


def test_it_never_removes_anothers_socket(place: Home) -> None:
    """Only the one it has bound is its to take away."""
    place.folder.mkdir(exist_ok=True)
    path = place.folder / "s"
    with bound(path):
        own = OwnSocket(path)
        path.rename(path.with_name("kept"))  # so that its number is not given to the next
        with bound(path):
            own.remove()
            assert path.exists()


@pytest.mark.deep
def test_a_daemon_whose_socket_was_deleted_goes(served: Home) -> None:
    """A home that was thrown away leaves no process behind."""
    served.places.socket.unlink()

    assert served.started[-1].wait(timeout=PATIENCE) == 0
