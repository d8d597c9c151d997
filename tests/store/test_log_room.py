"""Laws of the room made for the log."""

from __future__ import annotations

import resource
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from interlock.errors import StoreError
from interlock.store.database import open_database, open_to_read
from interlock.store.files import make_room

ROOM = 300_000
CLAIM = "INSERT INTO once_fired (session_id, key, fired_at) VALUES (?, 'k', 't')"
COUNT = "SELECT count(*) FROM once_fired"


def log_of(path: Path) -> Path:
    """The file of the log."""
    return path.with_name(path.name + "-wal")


def crashed(path: Path, folder: Path) -> Path:
    """The files as a process that ended here would have left them."""
    folder.mkdir(mode=0o700)
    for file in (path, log_of(path)):
        shutil.copy(file, folder / file.name)
    return folder / path.name


@pytest.mark.parametrize("before", [0, 1, 40])
def test_what_is_committed_around_it_survives_a_crash(tmp_path: Path, before: int) -> None:
    """Rows from before and after are found, by others now and by whoever opens the files later."""
    path = tmp_path / "db" / "interlock.db"
    with closing(open_database(path)) as connection:
        for number in range(before):
            connection.execute(CLAIM, (f"before-{number}",))
        make_room(connection, ROOM)
        size = log_of(path).stat().st_size
        with closing(open_database(crashed(path, tmp_path / "between"))) as other:
            assert other.execute(COUNT).fetchone() == (before,)
        for number in range(40):
            connection.execute(CLAIM, (f"after-{number}",))

        with closing(open_to_read(path)) as other:
            assert other.execute(COUNT).fetchone() == (before + 40,)
        with closing(open_database(crashed(path, tmp_path / "later"))) as other:
            assert other.execute(COUNT).fetchone() == (before + 40,)
            assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert size >= ROOM


def test_commits_do_not_lengthen_a_log_with_room(tmp_path: Path) -> None:
    """What is written goes into the room."""
    path = tmp_path / "db" / "interlock.db"
    with closing(open_database(path)) as connection:
        make_room(connection, ROOM)
        connection.execute(CLAIM, ("s",))

        assert log_of(path).stat().st_size == ROOM


def test_a_log_that_is_long_enough_is_left_alone(tmp_path: Path) -> None:
    """Asking twice changes nothing."""
    path = tmp_path / "db" / "interlock.db"
    with closing(open_database(path)) as connection:
        for _ in range(2):
            make_room(connection, ROOM)
        assert log_of(path).stat().st_size == ROOM


def test_a_database_another_process_writes_to_is_an_error(tmp_path: Path) -> None:
    """Nobody's log is written to without the lock."""
    path = tmp_path / "db" / "interlock.db"
    with closing(open_database(path)) as connection, closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process has locked the database"):
            make_room(connection, ROOM)
        other.execute("ROLLBACK")
        assert log_of(path).stat().st_size < ROOM


def test_a_database_in_memory_has_no_log() -> None:
    """There is nothing to do."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        make_room(connection, ROOM)
        assert not connection.in_transaction


def test_a_log_that_cannot_be_lengthened_is_an_error_and_leaves_the_database_usable(tmp_path: Path) -> None:
    """The transaction is over, and the next one works."""
    path = tmp_path / "db" / "interlock.db"
    with closing(open_database(path)) as connection:
        connection.execute(CLAIM, ("s",))
        moved = log_of(path).rename(tmp_path / "moved")
        with pytest.raises(StoreError, match="cannot free space in the log"):
            make_room(connection, ROOM)
        moved.rename(log_of(path))
        connection.execute(CLAIM, ("t",))
        assert connection.execute(COUNT).fetchone() == (2,)


@pytest.mark.req("D02")
def test_a_log_for_which_there_is_no_room_takes_none(tmp_path: Path) -> None:
    """What was begun is given back: the last of a disk is not for zeros."""
    path = tmp_path / "db" / "interlock.db"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with closing(open_database(path)) as connection:
        connection.execute(CLAIM, ("s",))
        before = log_of(path).stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM // 2, limits[1]))
        try:
            with pytest.raises(StoreError, match="free some space"):
                make_room(connection, ROOM)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)

        assert log_of(path).stat().st_size == before
        connection.execute(CLAIM, ("t",))
        assert connection.execute(COUNT).fetchone() == (2,)
