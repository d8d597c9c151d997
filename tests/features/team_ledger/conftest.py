"""What the tests of the team ledger share: a real Postgres, and fleets in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.features.team_ledger.cluster import Cluster, programs
from tests.features.team_ledger.fleet import Fleet

from interlock.features.team_ledger.postgres import connect, migrate_postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Cluster]:
    """A server for all tests that do not end it."""
    yield from _served()


@pytest.fixture
def own_server() -> Iterator[Cluster]:
    """A server of this test's own, to be ended and started at will."""
    yield from _served()


def _served() -> Iterator[Cluster]:
    found = programs()
    if found is None:
        pytest.skip("Postgres is not installed, so nothing was tested; on Debian: apt-get install postgresql")
    cluster = Cluster(found)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def fleet(server: Cluster, tmp_path: Path) -> Iterator[Fleet]:
    """An empty team ledger."""
    with ExitStack() as ends:
        made = Fleet(server=server, name=server.database(), folder=tmp_path, ends=ends)
        with closing(connect(made.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        yield made


@pytest.fixture
def bare(server: Cluster, tmp_path: Path) -> Iterator[Fleet]:
    """A database without a team ledger."""
    with ExitStack() as ends:
        yield Fleet(server=server, name=server.database(), folder=tmp_path, ends=ends)
