-- What has already run: hooks that run once, and tool calls that must not happen twice.

CREATE TABLE once_fired (
    session_id TEXT NOT NULL,
    key        TEXT NOT NULL,     -- a digest of event, matcher and handler
    fired_at   TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;

-- A call is written before it runs (prepared) and closed after it, so a crash in between is seen.
CREATE TABLE tool_calls (
    id                      INTEGER PRIMARY KEY,
    tool_call_id            TEXT NOT NULL UNIQUE,
    run_id                  TEXT NOT NULL,
    step_id                 TEXT,
    created_at              TEXT NOT NULL,
    updated_at              TEXT NOT NULL,
    raw_tool_name           TEXT NOT NULL,
    tool_name               TEXT NOT NULL,
    tool_namespace          TEXT NOT NULL DEFAULT '',
    side_effect_class       TEXT NOT NULL
                            CHECK (side_effect_class IN ('external', 'memory', 'local', 'read_only')),
    replay_policy           TEXT NOT NULL
                            CHECK (replay_policy IN ('REPLAY_EXACT', 'REPLAY_IDEMPOTENT', 'RELAUNCH')),
    replay_status           TEXT,
    policy_matched          TEXT,
    policy_rule_id          TEXT,
    normalized_args_hash    TEXT NOT NULL,
    idempotency_key         TEXT NOT NULL UNIQUE,
    status                  TEXT NOT NULL DEFAULT 'prepared'
                            CHECK (status IN ('prepared', 'running', 'succeeded', 'failed')),
    attempt                 INTEGER NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    request_ref             TEXT,
    response_ref            TEXT,
    external_correlation_id TEXT,
    error_code              TEXT,
    error_detail            TEXT,
    duration_ms             REAL CHECK (duration_ms >= 0)  -- by a steady clock; updated_at - created_at is not one
) STRICT;
CREATE INDEX tool_calls_by_run ON tool_calls (run_id, step_id);

PRAGMA user_version = 5;
