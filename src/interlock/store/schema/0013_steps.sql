-- Steps of a run, where things stood before the first calls of each, and sessions a person has cancelled.

-- A step begins with a prompt, and again when nobody remembers the one before it.
CREATE TABLE run_steps (
    id         INTEGER PRIMARY KEY,
    step_id    TEXT NOT NULL UNIQUE,     -- st_…
    session_id TEXT NOT NULL,
    began_at   TEXT NOT NULL             -- when its first call was recorded
) STRICT;
CREATE INDEX run_steps_by_session ON run_steps (session_id);
CREATE INDEX run_steps_by_time ON run_steps (began_at);

-- One before the first call of a step that only reads, one before the first that leaves a mark.
CREATE TABLE step_checkpoints (
    step       INTEGER NOT NULL REFERENCES run_steps (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('read_only', 'side_effect')),
    call       TEXT NOT NULL,            -- the call it was taken before: tc_…
    taken_at   TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (json_valid(state)),
    PRIMARY KEY (step, kind)
) STRICT, WITHOUT ROWID;

-- A session whose calls are denied because a person asked for that; `*` is every session but those let go again.
CREATE TABLE cancellations (
    session_id TEXT PRIMARY KEY,
    state      TEXT NOT NULL CHECK (state IN ('cancelled', 'let_go')),
    at         TEXT NOT NULL,
    by         TEXT NOT NULL,
    reason     TEXT,
    hold       INTEGER NOT NULL DEFAULT 0 CHECK (hold IN (0, 1))  -- a prompt does not end it
) STRICT, WITHOUT ROWID;

-- What people are shown of a call, now with its step.
DROP VIEW recorded_calls;
CREATE VIEW recorded_calls AS
SELECT
    id, tool_call_id, run_id, session_id, use_id, project, actor, raw_tool_name, tool_namespace, side_effect_class,
    replay_policy, replay_status, policy_matched, policy_rule_id, normalized_args_hash, idempotency_key, call_key,
    status, attempt, created_at, updated_at, duration_ms, error_code, error_detail, summary, effects, waits,
    resolved_by, note, step_id
FROM tool_calls;

PRAGMA user_version = 13;
