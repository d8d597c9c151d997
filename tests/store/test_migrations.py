"""Laws of bringing a database up to date."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from interlock.errors import StoreError
from interlock.store.database import open_database
from interlock.store.migrations import Step, migrate, split, steps, version

GOOD = Step(number=98, name="good", sql="CREATE TABLE good (x TEXT) STRICT;\nPRAGMA user_version = 98;")
BAD = Step(
    number=99,
    name="bad",
    sql="CREATE TABLE bad (x TEXT);\nINSERT INTO nowhere VALUES (1);\nPRAGMA user_version = 99;",
)


def tables(connection: sqlite3.Connection) -> set[str]:
    """The tables there are."""
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_every_step_sets_its_own_number_and_they_have_no_gap() -> None:
    """Run one by one on an empty database, step n leaves version n."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for expected, step in enumerate(steps(), start=1):
            for statement in split(step.sql):
                connection.execute(statement)

            assert (step.number, version(connection)) == (expected, expected)


def test_data_is_copied_beside_itself_before_the_first_step(path: Path, database: sqlite3.Connection) -> None:
    """The backup is the database as it was, private and whole on its own."""
    database.execute("INSERT INTO once_fired VALUES ('s', 'k', 't')")
    was = version(database)

    migrate(database, path, [*steps(), GOOD])

    copy = path.with_name(f"interlock.db.v{was}.backup")
    with closing(sqlite3.connect(copy)) as kept:
        assert (version(kept), "good" in tables(kept)) == (was, False)
        assert kept.execute("SELECT * FROM once_fired").fetchall() == [("s", "k", "t")]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert (version(database), "good" in tables(database)) == (98, True)


def test_an_empty_database_is_not_copied(path: Path) -> None:
    """There is nothing to lose in a new one."""
    open_database(path).close()

    assert not list(path.parent.glob("*.backup"))


def test_a_step_that_fails_leaves_no_trace(path: Path, database: sqlite3.Connection) -> None:
    """Each step is one transaction: those before it stay, nothing of it does."""
    with pytest.raises(StoreError, match="to schema 99"):
        migrate(database, path, [*steps(), GOOD, BAD])

    assert version(database) == 98
    assert "good" in tables(database)
    assert "bad" not in tables(database)
    assert not database.in_transaction


def test_a_step_another_process_ran_meanwhile_is_not_run_again(
    path: Path, database: sqlite3.Connection
) -> None:
    """Two who open an old database at once run each step once."""
    with closing(open_database(path)) as other:
        migrate(other, path, [*steps(), GOOD])

    migrate(database, path, [*steps(), GOOD])

    assert version(database) == 98


def test_a_locked_database_is_no_reason_to_wait_or_to_half_migrate(
    path: Path, database: sqlite3.Connection
) -> None:
    """When another holds the lock, the error says so."""
    with closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="another process has locked the database"):
            migrate(database, path, [*steps(), GOOD])
    assert version(database) == steps()[-1].number


def test_a_script_is_cut_at_the_ends_of_its_statements() -> None:
    """Semicolons in texts and triggers end nothing."""
    script = (
        "-- a; b\nCREATE TABLE t (x TEXT DEFAULT ';');\n"
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN\n  DELETE FROM t;\n  SELECT ';';\nEND;\n"
    )

    assert [s.strip().splitlines()[-1] for s in split(script)] == [
        "CREATE TABLE t (x TEXT DEFAULT ';');",
        "END;",
    ]


def test_a_script_that_ends_inside_a_statement_is_a_defect() -> None:
    """A forgotten semicolon would otherwise drop the last statement."""
    with pytest.raises(ValueError, match="ends inside"):
        list(split("CREATE TABLE t (x TEXT);\nINSERT INTO t VALUES ('"))
    with pytest.raises(ValueError, match="ends inside"):
        list(split("CREATE TABLE t (x TEXT)"))
