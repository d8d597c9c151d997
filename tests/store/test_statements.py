"""Laws of the named statements."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest

from interlock.search.index import open_index
from interlock.store.statements import parse_statements, statements

ALL = sorted(file.name.removesuffix(".sql") for file in (files("interlock.store") / "sql").iterdir())
OF_INDEX = ("hourly", "web_figures", "web_metrics")  # the index is a database of its own
FILES = [name for name in ALL if name not in {"search", *OF_INDEX}]  # of "search": tests/search


def test_a_text_is_cut_at_its_names() -> None:
    """What stands before the first name belongs to none."""
    found = parse_statements("-- about\n\n-- name: one\nSELECT 1;\n\n-- name: two\n-- why\nSELECT\n  2;\n")

    assert dict(found) == {"one": "SELECT 1;", "two": "-- why\nSELECT\n  2;"}


def test_a_name_used_twice_is_a_defect() -> None:
    """The second would hide the first."""
    with pytest.raises(ValueError, match="twice"):
        parse_statements("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n")


@pytest.mark.parametrize("file", FILES)
def test_every_statement_is_one_the_schema_understands(file: str, database: sqlite3.Connection) -> None:
    """Each compiles against the real tables."""
    _understood(file, database)


@pytest.mark.parametrize("file", OF_INDEX)
def test_every_statement_is_one_the_index_understands(file: str, tmp_path: Path) -> None:
    """The same, against the tables of the index."""
    with closing(open_index(tmp_path / "search.db")) as index:
        _understood(file, index)


def _understood(file: str, database: sqlite3.Connection) -> None:
    for name, sql in statements(file).items():
        values = dict.fromkeys(re.findall(r"(?<!:):(\w+)", sql))
        count = sql.count("?")
        assert database.execute(f"EXPLAIN {sql}", [None] * count if count else values).fetchall(), name


def test_lists_by_session_and_actor_read_their_blocks_only(database: sqlite3.Connection) -> None:
    """Neither reads the whole ledger, nor sorts what it found."""
    for by in ("session", "actor"):
        sql = statements("ledger")[f"list_by_{by}"]
        values = dict.fromkeys(re.findall(r"(?<!:):(\w+)", sql), "x")
        plan = database.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        text = " ".join(row[3] for row in plan)

        assert "SEARCH b USING PRIMARY KEY (kind=? AND name=? AND block<?)" in text
        assert "SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" in text
        assert "TEMP B-TREE" not in text
