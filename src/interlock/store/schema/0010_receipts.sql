-- Receipts: who made a recorded call, what it was aimed at, what came of it, and what a person said of one whose end
-- nobody saw.

ALTER TABLE tool_calls ADD COLUMN call_key    TEXT NOT NULL DEFAULT '';  -- the key without a nonce: the same call again
ALTER TABLE tool_calls ADD COLUMN session_id  TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_calls ADD COLUMN use_id      TEXT;                      -- the host's id of the call
ALTER TABLE tool_calls ADD COLUMN project     TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_calls ADD COLUMN actor       TEXT NOT NULL DEFAULT '';
ALTER TABLE tool_calls ADD COLUMN summary     TEXT NOT NULL DEFAULT '';  -- the arguments in a line, without secrets
ALTER TABLE tool_calls ADD COLUMN effects     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(effects));
ALTER TABLE tool_calls ADD COLUMN waits       INTEGER NOT NULL DEFAULT 0 CHECK (waits IN (0, 1));
ALTER TABLE tool_calls ADD COLUMN resolved_by TEXT;                      -- who said how it ended
ALTER TABLE tool_calls ADD COLUMN note        TEXT;

CREATE INDEX tool_calls_by_key ON tool_calls (call_key);
CREATE INDEX tool_calls_by_use ON tool_calls (session_id, use_id);
-- Few are open at a time: finding them must not mean reading everything.
CREATE INDEX tool_calls_open ON tool_calls (project) WHERE status IN ('prepared', 'running');
CREATE INDEX tool_calls_waiting ON tool_calls (run_id) WHERE waits = 1;
CREATE INDEX tool_calls_by_end ON tool_calls (updated_at) WHERE status IN ('succeeded', 'failed');

-- What went in and what came back, without secrets: whole up to 16 KB, else head and tail with a digest of all of it.
-- A response is pending until its call is marked as ended, so that a crash in between loses neither.
CREATE TABLE tool_receipts (
    call       INTEGER NOT NULL REFERENCES tool_calls (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('request', 'response')),
    state      TEXT NOT NULL CHECK (state IN ('pending', 'final')),
    head       TEXT NOT NULL,
    tail       TEXT NOT NULL DEFAULT '',
    bytes      INTEGER NOT NULL,
    sha256     TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (call, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_receipts_pending ON tool_receipts (call) WHERE state = 'pending';

-- What people are shown of a call, in the order the program reads it.
CREATE VIEW recorded_calls AS
SELECT
    id, tool_call_id, run_id, session_id, use_id, project, actor, raw_tool_name, tool_namespace, side_effect_class,
    replay_policy, replay_status, policy_matched, policy_rule_id, normalized_args_hash, idempotency_key, call_key,
    status, attempt, created_at, updated_at, duration_ms, error_code, error_detail, summary, effects, waits,
    resolved_by, note
FROM tool_calls;

-- A run with a failed call that left a mark elsewhere waits until a person has looked.
CREATE VIEW waiting_runs AS
SELECT run_id, count(*) AS calls, min(updated_at) AS since, max(tool_call_id) AS call
FROM tool_calls
WHERE waits = 1
GROUP BY run_id;

PRAGMA user_version = 10;
