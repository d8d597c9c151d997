"""Laws of the records: a field for each column, and what went in comes out."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from interlock.features.work import records
from interlock.features.work.records import Skill, record_of
from interlock.features.work.store import WorkStore

TABLES: dict[str, Any] = {
    "projects": records.Project,
    "skills": records.Skill,
    "tasks": records.Task,
    "task_summary": records.TaskSummary,
    "efforts": records.Effort,
    "sessions": records.Session,
    "agents": records.Agent,
    "fleet_status": records.FleetRow,
    "messages": records.Message,
    "phase_history": records.PhaseChange,
}


@pytest.mark.parametrize("table", TABLES)
def test_a_record_has_a_field_for_each_column(database: sqlite3.Connection, table: str) -> None:
    """A column that is added and forgotten in the record would be lost without a sign."""
    columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}

    assert set(TABLES[table].__struct_fields__) == columns


def test_lists_and_mappings_are_read() -> None:
    """A stored null is not a list; the record's own default stands."""
    row = {"id": 1, "effort_id": 2, "phase_label": "1: A", "proof": '{"a":[1]}', "created_at": "t"}
    change = record_of(records.PhaseChange, row)

    assert change.proof == {"a": [1]}
    assert record_of(records.PhaseChange, {**row, "proof": None}).proof is None


def test_what_a_skill_file_says_replaces_what_it_said(work: WorkStore, tmp_path: Any) -> None:
    """One row a name; forgetting leaves other projects alone."""
    here, there = work.projects.ensure(str(tmp_path)), work.projects.ensure(str(tmp_path / "other"))
    work.skills.put(here.id, Skill(name="fix", phases=("1: Look",), modes=("fast",)))
    work.skills.put(there.id, Skill(name="fix"))
    kept = work.skills.put(here.id, Skill(name="fix", phases=("1: Look", "2: Mend")))

    assert work.skills.get(here.id, "fix") == kept
    assert (kept.phases, kept.modes) == (("1: Look", "2: Mend"), ())
    assert work.skills.forget(here.id) == 1
    assert work.skills.get(here.id, "fix") is None
    assert work.skills.get(there.id, "fix") is not None
