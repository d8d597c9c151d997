"""No page reads everything: every statement of the dashboard is answered by an index."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from interlock.search.index import open_index
from interlock.store.database import open_database
from interlock.store.statements import statements

OF_FIGURES = {"since": "2026-01-01T00", "hours": 6, "limit": 9, "before": 7}
OF_ENTRIES = {"session": "s", "seq": 1, "within": 10, "use_id": "t"}


@pytest.mark.parametrize(
    ("file", "name"), [(file, name) for file in ("web_figures", "web_entries") for name in statements(file)]
)
def test_a_statement_searches_and_never_scans(tmp_path: Path, file: str, name: str) -> None:
    """By a key of the table or an index of it: a long ledger costs a page no more than a short one."""
    opened = open_database if file == "web_entries" else open_index
    with closing(opened(tmp_path / "x.db")) as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {statements(file)[name]}", OF_FIGURES | OF_ENTRIES
        ).fetchall()

    told = [row[3] for row in plan]
    assert any(line.startswith("SEARCH") for line in told), told
    assert not any(line.startswith("SCAN") for line in told), told
