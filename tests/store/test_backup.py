"""Laws of copying a database that others write to."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from interlock.store.files import back_up


@pytest.mark.req("L09")
def test_a_copy_is_whole_although_its_source_is_being_written_to(
    path: Path, database: sqlite3.Connection, tmp_path: Path
) -> None:
    """What is only in the log is in the copy; what is not committed is not; the copy needs no log."""
    database.execute("INSERT INTO once_fired VALUES ('s', 'committed', 't')")
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO once_fired VALUES ('s', 'open', 't')")
    told: list[tuple[int, int]] = []

    back_up(path, tmp_path / "copy.db", lambda done, total: told.append((done, total)))

    with closing(sqlite3.connect(f"file:{tmp_path / 'copy.db'}?mode=ro&immutable=1", uri=True)) as copy:
        assert copy.execute("SELECT key FROM once_fired").fetchall() == [("committed",)]
        assert copy.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert sorted(f.name for f in tmp_path.iterdir()) == ["copy.db", "state"]
    assert stat.S_IMODE((tmp_path / "copy.db").stat().st_mode) == 0o600
    assert told[-1][0] == told[-1][1] > 0
    database.execute("ROLLBACK")


def test_a_copy_that_fails_leaves_nothing(path: Path, tmp_path: Path) -> None:
    """There is no half a backup to be mistaken for one."""
    with pytest.raises(sqlite3.Error):
        back_up(path, tmp_path / "copy.db")

    assert not list(tmp_path.iterdir())
