"""Laws of keeping the search index up to date beside the work."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.search.decisions import fill

from interlock.ledger.writer import LedgerWriter
from interlock.search import index as indexing
from interlock.search.index import SearchIndex, SearchIndexer, index_beside, open_index
from interlock.store.database import open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of 600 entries."""
    path = tmp_path / "state" / "interlock.db"
    with closing(open_database(path)) as connection:
        fill(LedgerWriter(connection), 600)
    return path


def lag(path: Path) -> int:
    with (
        closing(sqlite3.connect(path)) as ledger,
        closing(open_index(index_beside(path))) as connection,
    ):
        return SearchIndex(connection, ledger).lag


def test_in_quiet_all_is_taken_in(path: Path) -> None:
    """When no call comes in, one step ends with nothing missing."""
    SearchIndexer(path, lambda: 600, lambda: 7).step()

    assert lag(path) == 0


def test_while_calls_come_in_a_step_is_one_group(path: Path) -> None:
    """A busy daemon gives up no more than a few milliseconds at a time."""
    calls = iter(range(100))
    SearchIndexer(path, lambda: 600, lambda: next(calls)).step()

    assert lag(path) == 600 - indexing._STEP


async def test_it_follows_what_is_recorded(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the loop, again and again, until it is cancelled; when nothing is new nothing is opened."""
    monkeypatch.setattr(indexing, "_EVERY_SECONDS", 0.01)
    running = SearchIndexer(path, lambda: 600, lambda: 0)
    task = asyncio.create_task(running.run())
    for _ in range(500):
        await asyncio.sleep(0.02)
        if running._filled == 600:
            break
    task.cancel()

    assert lag(path) == 0
    assert running._filled == 600


@pytest.mark.deep
async def test_trouble_is_told_and_stops_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A place where no index can be made is a line in the log."""
    index_beside(path).mkdir()
    monkeypatch.setattr(indexing, "_EVERY_SECONDS", 0.01)
    task = asyncio.create_task(SearchIndexer(path, lambda: 600, lambda: 0).run())
    for _ in range(500):
        await asyncio.sleep(0.02)
        if caplog.records:
            break
    task.cancel()

    assert "not kept up to date" in caplog.text
