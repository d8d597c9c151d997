"""What the tests of pages share: a home, a ledger in it, and a dashboard over both."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, remove
from tests.web.pages.dashboard import Dashboard, dashboard

from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

Record = Callable[..., int]


@pytest.fixture
def place() -> Iterator[Home]:
    """A home with no daemon; what was started in it ends with it."""
    home = Home(folder=Path(tempfile.mkdtemp(prefix="ilk-")))
    yield home
    home.end()
    remove(home.folder)


@pytest.fixture
def record(place: Home) -> Iterator[Record]:
    """Record an entry of a session at once; gives its seq."""
    with closing(open_database(place.places.database)) as connection:
        writer = LedgerWriter(connection)

        def recorded(op: str = "decision", *, actor: str = "agent:main", **body: Any) -> int:
            writer.append(op, actor, "/w/app", {"session_id": "s-1", **body})
            writer.flush()
            return writer.head.seq

        yield recorded


@pytest.fixture
def seen(place: Home, record: Record) -> Iterator[Dashboard]:
    """The dashboard over what is recorded."""
    with dashboard(place.places) as found:
        yield found
