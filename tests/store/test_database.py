"""Laws of opening the database: private, durable, ours, and whole or not there."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest

from interlock.errors import StoreError
from interlock.store.database import open_database, open_to_read
from interlock.store.migrations import steps


def pragma(connection: sqlite3.Connection, name: str) -> object:
    """The value of a setting."""
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.req("L10")
def test_folder_and_every_file_are_for_their_owner_only(path: Path) -> None:
    """Folder 0700; database, log and shared memory 0600, whatever the umask."""
    before = os.umask(0)
    try:
        with closing(open_database(path)) as connection:
            connection.execute("INSERT INTO once_fired VALUES ('s', 'k', 't')")
            files = {file.name: mode(file) for file in path.parent.iterdir()}
    finally:
        os.umask(before)

    assert mode(path.parent) == 0o700
    assert files == {"interlock.db": 0o600, "interlock.db-wal": 0o600, "interlock.db-shm": 0o600}


@pytest.mark.req("L10")
def test_a_mode_that_lets_others_read_is_closed_at_opening(path: Path) -> None:
    """A folder or file that others may read is made private again."""
    open_database(path).close()
    path.chmod(0o644)
    path.parent.chmod(0o755)

    open_database(path).close()

    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


@pytest.mark.parametrize("bits", [0o720, 0o702, 0o777])
def test_a_folder_others_can_write_to_is_refused(path: Path, bits: int) -> None:
    """Whoever can write there may have replaced anything: closing the folder is not enough."""
    path.parent.mkdir()
    path.parent.chmod(bits)

    with pytest.raises(StoreError, match="other users can write"):
        open_database(path)
    assert not path.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("whose", ["folder", "file"])
def test_what_belongs_to_another_user_is_refused(path: Path, whose: str) -> None:
    """Neither a folder nor a database of another user is used."""
    open_database(path).close()
    os.chown(path.parent if whose == "folder" else path, 12345, -1)

    with pytest.raises(StoreError, match="belongs to another user"):
        open_database(path)


@pytest.mark.parametrize("dangling", [True, False])
def test_a_linked_database_is_refused(path: Path, tmp_path: Path, dangling: bool) -> None:
    """A link in place of the file is refused, whether or not it leads anywhere."""
    elsewhere = tmp_path / "other" / "interlock.db"
    if not dangling:
        open_database(elsewhere).close()
    path.parent.mkdir(mode=0o700)
    path.symlink_to(elsewhere)

    with pytest.raises(StoreError, match="is a link or not a regular file"):
        open_database(path)


def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    """Only a plain file is opened."""
    path.mkdir(parents=True, mode=0o700)
    path.parent.chmod(0o700)

    with pytest.raises(StoreError, match="not a regular file"):
        open_database(path)


def test_commits_are_durable_and_references_hold(database: sqlite3.Connection) -> None:
    """Write-ahead log, full sync, checkpoints as planned, foreign keys on, no waiting for locks."""
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "synchronous") == 2
    assert pragma(database, "wal_autocheckpoint") == 1000
    assert pragma(database, "foreign_keys") == 1
    assert pragma(database, "busy_timeout") == 0
    assert database.isolation_level is None


def test_a_new_database_leaves_nothing_else_behind(path: Path) -> None:
    """After making and closing, the folder holds the database alone."""
    open_database(path).close()

    assert [file.name for file in path.parent.iterdir()] == ["interlock.db"]


def test_ten_at_once_make_one_database(path: Path) -> None:
    """All who open at the same moment end up with the same file, none replaced under another."""
    seen: list[int] = []
    gate = threading.Barrier(10)

    def opening() -> None:
        gate.wait()
        with closing(open_database(path, busy_seconds=30)) as connection:
            key = threading.get_native_id()
            connection.execute("INSERT INTO once_fired VALUES ('s', ?, 't')", (str(key),))
            seen.append(path.stat().st_ino)

    threads = [threading.Thread(target=opening) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with closing(open_to_read(path)) as connection:
        rows = connection.execute("SELECT count(*) FROM once_fired").fetchone()[0]
    assert (len(seen), len(set(seen)), rows) == (10, 1, 10)


@pytest.mark.parametrize("opened", [open_database, open_to_read])
def test_a_newer_schema_is_refused_and_untouched(path: Path, opened: object) -> None:
    """A database from a newer version is neither used nor dropped."""
    assert callable(opened)
    with closing(open_database(path)) as connection:
        connection.execute(f"PRAGMA user_version = {steps()[-1].number + 1}")

    with pytest.raises(StoreError, match="written by a newer Interlock"):
        opened(path)
    with closing(sqlite3.connect(path)) as connection:
        assert pragma(connection, "user_version") == steps()[-1].number + 1


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    """A file with tables that are not ours is left alone."""
    path.parent.mkdir(mode=0o700)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")

    with pytest.raises(StoreError, match="another program"):
        open_database(path)


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    """Garbage is named as such, without a traceback of the engine's."""
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"not a database, but long enough to be read as the head of one" * 20)

    with pytest.raises(StoreError, match="not a database"):
        open_database(path)


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    """What a crash before the first write leaves is not a reason to refuse."""
    path.parent.mkdir(mode=0o700)
    path.touch()

    with closing(open_database(path)) as connection:
        assert pragma(connection, "user_version") == steps()[-1].number


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    """A file where the folder should be gives one sentence."""
    (tmp_path / "state").write_text("x")

    with pytest.raises(StoreError, match="INTERLOCK_HOME"):
        open_database(tmp_path / "state" / "interlock.db")


def test_reading_makes_no_database(path: Path) -> None:
    """Looking at what was never recorded says so and leaves nothing."""
    with pytest.raises(StoreError, match="run `interlock setup`"):
        open_to_read(path)
    assert not path.parent.exists()


def test_a_reader_cannot_write(path: Path, database: sqlite3.Connection) -> None:
    """What is opened to read changes nothing, also while somebody else writes."""
    database.execute("BEGIN IMMEDIATE")
    with closing(open_to_read(path)) as reading, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reading.execute("DELETE FROM once_fired")


def test_a_reader_leaves_an_older_schema_alone(path: Path) -> None:
    """Only the writer migrates."""
    with closing(open_database(path)) as connection:
        connection.execute("PRAGMA user_version = 1")

    with pytest.raises(StoreError, match="older Interlock"):
        open_to_read(path)
