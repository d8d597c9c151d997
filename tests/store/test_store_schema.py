"""Laws of the schema: the columns people asked for, the values they may hold, views that tell the truth."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from interlock.store.clock import timestamp

T = "2026-01-01T00:00:00.000Z"
ASK = "INSERT INTO approvals (digest, session_id, actor, revision, call, requested_at, expires_at, state)"

COLUMNS = {
    "projects": "id path",
    "tasks": "dir_path project_id title keywords workspace description created_at",
    "efforts": "id task_id skill mode ordinal lifecycle current_phase discovered_directives metadata "
    "discovered_directories created_at finished_at",
    "sessions": "id effort_id prev_session_id heartbeat_counter context_usage loaded_files "
    "dehydration_payload task_id pid heartbeat_interval last_heartbeat preloaded_files pending_injections "
    "discovered_directives discovered_directories transcript_path transcript_offset created_at ended_at",
    "messages": "id session_id role content tool_name timestamp",
    "agents": "id label claims targeted_claims manages parent effort_id status",
    "skills": "phases modes templates next_skills directives",
    "phase_history": "effort_id phase_label proof",
    "ledger": "seq id op ts actor workspace payload prev_hash hash session_id event tool decision",
    "approvals": "id digest session_id actor revision call state requested_at expires_at decided_by "
    "decided_at note",
    "grants": "id kind pattern session_id project until revoked_at",
    "once_fired": "session_id key fired_at",
    "tool_calls": "tool_call_id run_id step_id created_at updated_at raw_tool_name tool_name tool_namespace "
    "side_effect_class replay_policy replay_status policy_matched policy_rule_id normalized_args_hash "
    "idempotency_key status attempt request_ref response_ref external_correlation_id error_code error_detail "
    "duration_ms call_key session_id use_id project actor summary effects waits resolved_by note",
    "tool_receipts": "call kind state head tail bytes sha256 created_at",
}


@pytest.fixture
def work(database: sqlite3.Connection) -> sqlite3.Connection:
    """A project with one task, one effort and one agent on it."""
    database.execute("INSERT INTO projects (id, path, created_at) VALUES (1, '/w', ?)", (T,))
    database.execute(
        "INSERT INTO tasks (id, dir_path, project_id, created_at) VALUES (1, '/w/t', 1, ?)", (T,)
    )
    effort(database, 1)
    database.execute(
        "INSERT INTO agents (id, effort_id, status, status_at) VALUES ('a', 1, 'working', ?)", (T,)
    )
    return database


def effort(database: sqlite3.Connection, ordinal: int, **more: object) -> None:
    """One more effort of the task."""
    values = {"lifecycle": "active", "finished_at": None, **more}
    database.execute(
        "INSERT INTO efforts (task_id, skill, ordinal, lifecycle, created_at, finished_at) "
        "VALUES (1, 'fix', ?, ?, ?, ?)",
        (ordinal, values["lifecycle"], T, values["finished_at"]),
    )


def session(database: sqlite3.Connection, **more: object) -> int:
    """One more session on the effort."""
    values = {"created_at": T, "last_heartbeat": None, "ended_at": None, "agent_id": None, **more}
    found: int = database.execute(
        "INSERT INTO sessions "
        "(host, host_session_id, task_id, effort_id, agent_id, created_at, last_heartbeat, ended_at) "
        "VALUES ('claude-code', 'u-1', 1, 1, :agent_id, :created_at, :last_heartbeat, :ended_at) "
        "RETURNING id",
        values,
    ).fetchone()[0]
    return found


@pytest.mark.req("E5", "E6", "E8", "E9", "E11", "E12", "E57", "U22", "X28", "M56")
@pytest.mark.parametrize("table", COLUMNS)
def test_every_table_has_its_columns_and_is_strict(database: sqlite3.Connection, table: str) -> None:
    """All columns the documents name are there, and a text is not stored where a number belongs."""
    found = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}

    assert set(COLUMNS[table].split()) <= found
    assert next(row for row in database.execute("PRAGMA table_list") if row[1] == table)[5] == 1


@pytest.mark.req("E7", "E10", "E57", "X22")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE efforts SET lifecycle = 'paused'",
        "UPDATE efforts SET lifecycle = 'finished'",
        "INSERT INTO efforts (task_id, skill, ordinal, created_at) VALUES (1, 'fix', 1, 't')",
        "INSERT INTO tasks (dir_path, project_id, created_at) VALUES ('/w/t', 1, 't')",
        "INSERT INTO tasks (dir_path, project_id, created_at) VALUES ('/x', 9, 't')",
        "UPDATE agents SET status = 'checked'",
        "UPDATE agents SET claims = 'not json'",
        f"{ASK} VALUES ('d', 's', 'a', 'r', x'00', 't', 't', 'approved')",
        "INSERT INTO grants (kind, pattern, granted_by, granted_at) VALUES ('pattern', '*', 'h', 't')",
        "INSERT INTO grants (kind, session_id, granted_by, granted_at) VALUES ('call', 's', 'h', 't')",
    ],
)
def test_what_must_not_be_cannot_be_stored(work: sqlite3.Connection, statement: str) -> None:
    """Unknown words, second ordinals, nameless approvals and unbound grants are refused."""
    with pytest.raises(sqlite3.IntegrityError):
        work.execute(statement)


def test_one_call_has_one_pending_request(database: sqlite3.Connection) -> None:
    """Asking again while a request is open makes no second one; after the decision it may."""
    ask = f"{ASK} VALUES ('d', 's', 'a', 'r', x'00', 't', 't', 'pending')"
    database.execute(ask)
    with pytest.raises(sqlite3.IntegrityError):
        database.execute(ask)
    database.execute("UPDATE approvals SET state = 'expired'")

    database.execute(ask)


@pytest.mark.req("E58")
def test_the_fleet_shows_every_agent_once(work: sqlite3.Connection) -> None:
    """Agents without an effort are seen, and sub-agents' sessions do not multiply their parent."""
    first = session(work)
    session(work, agent_id="sub")
    work.execute("INSERT INTO agents (id) VALUES ('idle one')")

    found = work.execute("SELECT agent, session_id, task_dir FROM fleet_status ORDER BY agent").fetchall()
    assert found == [("a", first, "/w/t"), ("idle one", None, None)]


@pytest.mark.req("E58", "X22")
def test_the_fleet_puts_first_what_needs_a_person(work: sqlite3.Connection) -> None:
    """Error, attention, working, done and not looked at, looked at and waiting, then the rest."""
    late = "2026-01-01T00:00:01.000Z"
    work.execute("DELETE FROM agents")
    for name, status, checked in [
        ("seen", "done", late),
        ("unseen", "done", None),
        ("busy", "working", None),
        ("known", "attention", late),
        ("stuck", "attention", None),
        ("broken", "error", late),
    ]:
        row = (name, status, T, checked)
        work.execute("INSERT INTO agents (id, status, status_at, checked_at) VALUES (?, ?, ?, ?)", row)

    found = work.execute("SELECT agent, shown FROM fleet_status ORDER BY priority").fetchall()
    assert found == [
        ("broken", "error"),
        ("stuck", "attention"),
        ("busy", "working"),
        ("unseen", "unchecked"),
        ("known", "checked"),
        ("seen", "done"),
    ]


@pytest.mark.req("E10", "E58")
def test_a_task_is_active_while_an_effort_is(work: sqlite3.Connection) -> None:
    """Active and dormant, counts and last activity are derived, several sessions counting no effort twice."""
    beat = "2026-01-02T00:00:00.000Z"
    session(work)
    session(work, last_heartbeat=beat)
    effort(work, 2, lifecycle="finished", finished_at=T)
    view = "SELECT state, effort_count, active_count, last_activity FROM task_summary"

    assert work.execute(view).fetchall() == [("active", 2, 1, beat)]
    assert [row[0] for row in work.execute("SELECT ordinal FROM active_efforts")] == [1]
    work.execute("UPDATE efforts SET lifecycle = 'finished', finished_at = ?", (T,))
    assert work.execute(view).fetchall() == [("dormant", 2, 0, beat)]


@pytest.mark.req("E58")
def test_a_session_without_any_heartbeat_becomes_stale_too(work: sqlite3.Connection) -> None:
    """Five minutes count from the last heartbeat, or from the start when there was none."""
    now = datetime.now(UTC)
    old, fresh = (timestamp((now - timedelta(minutes=m)).timestamp()) for m in (6, 1))
    silent = session(work, created_at=old)
    session(work, created_at=old, last_heartbeat=fresh)
    quiet = session(work, created_at=old, last_heartbeat=old)
    session(work, created_at=old, ended_at=old)
    session(work, created_at=fresh)

    found = [row[0] for row in work.execute("SELECT id FROM stale_sessions ORDER BY id")]
    assert found == [silent, quiet]
