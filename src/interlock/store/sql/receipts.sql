-- Recorded tool calls. Each transition is one statement that names the states it leaves.

-- name: prepare
INSERT INTO tool_calls
    (tool_call_id, run_id, step_id, created_at, updated_at, raw_tool_name, tool_name, tool_namespace, side_effect_class,
     replay_policy, policy_matched, policy_rule_id, normalized_args_hash, idempotency_key, status, attempt, request_ref,
     call_key, session_id, use_id, project, actor, summary, effects)
VALUES
    (:name, :run, :step, :now, :now, :raw, :tool, :namespace, :class, :replay, :matched, :rule, :arguments, :key, 'prepared',
     :attempt, :request, :call_key, :session_id, :use_id, :project, :actor, :summary, :effects);

-- name: running
UPDATE tool_calls SET status = 'running', updated_at = :now WHERE tool_call_id = :name AND status = 'prepared';

-- name: succeeded
-- What a person said of a call, or we concluded, gives way to what the host reports later: that has been seen.
UPDATE tool_calls
SET status = 'succeeded', updated_at = :now, duration_ms = :duration, waits = 0, error_code = NULL, error_detail = NULL,
    replay_status = NULL,
    response_ref = (SELECT sha256 FROM tool_receipts AS r WHERE r.call = tool_calls.id AND r.kind = 'response')
WHERE tool_call_id = :name
  AND (status IN ('prepared', 'running') OR (status = 'failed' AND (resolved_by IS NOT NULL OR error_code = 'not_run')));

-- name: failed
UPDATE tool_calls
SET status = 'failed', updated_at = :now, duration_ms = :duration, error_code = :code, error_detail = :detail,
    waits = :waits
WHERE tool_call_id = :name AND status IN ('prepared', 'running');

-- name: withdraw
-- It was refused after all: it never ran.
UPDATE tool_calls SET status = 'failed', updated_at = :now, error_code = :code
WHERE session_id = :session_id AND use_id = :use_id AND status = 'prepared';

-- name: answered
-- A later try has succeeded: nobody need look any more.
UPDATE tool_calls SET waits = 0
WHERE waits = 1 AND call_key = (SELECT call_key FROM tool_calls WHERE tool_call_id = :name);

-- name: receipt
INSERT INTO tool_receipts (call, kind, state, head, tail, bytes, sha256, created_at)
SELECT id, :kind, :state, :head, :tail, :bytes, :sha256, :now FROM tool_calls WHERE tool_call_id = :name
ON CONFLICT (call, kind) DO UPDATE
SET state = excluded.state, head = excluded.head, tail = excluded.tail, bytes = excluded.bytes,
    sha256 = excluded.sha256, created_at = excluded.created_at
WHERE tool_receipts.state = 'pending';

-- name: final
UPDATE tool_receipts SET state = 'final'
WHERE kind = 'response' AND call = (SELECT id FROM tool_calls WHERE tool_call_id = :name);

-- name: received
-- Calls whose response is here and whose end was not written: a crash came in between.
SELECT c.tool_call_id FROM tool_receipts AS r JOIN tool_calls AS c ON c.id = r.call
WHERE r.state = 'pending' AND r.kind = 'response' AND c.status IN ('prepared', 'running');

-- name: before
-- The same call, made before: one that succeeded stands first, then one whose end is not known, then the newest.
-- A call that is reported once more under its own id, as after a crash of the daemon, is no repeat of itself.
SELECT tool_call_id, status, updated_at
FROM tool_calls
WHERE call_key = :call_key
  AND NOT (status IN ('prepared', 'running') AND session_id = :session_id AND use_id IS :use_id AND use_id IS NOT NULL)
ORDER BY CASE status WHEN 'succeeded' THEN 0 WHEN 'failed' THEN 2 ELSE 1 END, id DESC
LIMIT 1;

-- name: again
SELECT tool_call_id FROM tool_calls
WHERE session_id = :session_id AND use_id = :use_id AND call_key = :call_key AND status IN ('prepared', 'running');

-- name: newest_like
SELECT attempt, replay_status FROM tool_calls WHERE call_key = :call_key ORDER BY id DESC LIMIT 1;

-- name: of_use
SELECT tool_call_id FROM tool_calls WHERE session_id = :session_id AND use_id = :use_id ORDER BY id DESC LIMIT 1;

-- name: of_key
-- For hosts without an id of their own: the newest that is open under this key.
SELECT tool_call_id FROM tool_calls
WHERE call_key = :call_key AND status IN ('prepared', 'running') ORDER BY id DESC LIMIT 1;

-- name: get
SELECT * FROM recorded_calls WHERE tool_call_id = ?;

-- name: open_in
-- What was begun in a project and has no end; what leaves no mark is of no interest.
SELECT * FROM recorded_calls
WHERE project = :project AND status IN ('prepared', 'running') AND side_effect_class <> 'read_only'
ORDER BY id DESC LIMIT :most;

-- name: listed
SELECT * FROM recorded_calls
WHERE (:tool IS NULL OR raw_tool_name = :tool) AND (:status IS NULL OR status = :status)
ORDER BY id DESC LIMIT :most;

-- name: listed_of
SELECT * FROM recorded_calls
WHERE session_id = :session_id AND (:tool IS NULL OR raw_tool_name = :tool) AND (:status IS NULL OR status = :status)
ORDER BY id DESC LIMIT :most;

-- name: unfinished
-- Found by the two small indexes, however many calls there are.
SELECT * FROM recorded_calls
WHERE id IN (
    SELECT id FROM tool_calls WHERE status IN ('prepared', 'running')
    UNION
    SELECT id FROM tool_calls WHERE waits = 1
)
  AND (:session_id IS NULL OR session_id = :session_id)
ORDER BY id DESC LIMIT :most;

-- name: receipts
SELECT kind, state, head, tail, bytes, sha256, created_at FROM tool_receipts WHERE call = ? ORDER BY kind;

-- name: response
SELECT head FROM tool_receipts
WHERE kind = 'response' AND call = (SELECT id FROM tool_calls WHERE tool_call_id = ?);

-- name: waiting
SELECT run_id, calls, since, call FROM waiting_runs ORDER BY since LIMIT ?;

-- name: resolve
UPDATE tool_calls
SET status = :status, updated_at = :now, waits = 0, error_code = :code, replay_status = :replay_status,
    resolved_by = :by, note = :note
WHERE tool_call_id = :name AND (status IN ('prepared', 'running') OR waits = 1);

-- name: forget
DELETE FROM tool_calls WHERE id IN (
    SELECT id FROM tool_calls
    WHERE status IN ('succeeded', 'failed') AND updated_at < :before AND waits = 0
    LIMIT :most
);

-- name: step
INSERT INTO run_steps (step_id, session_id, began_at) VALUES (:step, :session_id, :now)
ON CONFLICT (step_id) DO NOTHING;

-- name: is_marked
SELECT 1 FROM step_checkpoints WHERE kind = :kind AND step = (SELECT id FROM run_steps WHERE step_id = :step);

-- name: mark
INSERT INTO step_checkpoints (step, kind, call, taken_at, state)
SELECT id, :kind, :call, :now, :state FROM run_steps WHERE step_id = :step
ON CONFLICT (step, kind) DO NOTHING;

-- name: marks
SELECT s.step_id, s.session_id, c.kind, c.call, c.taken_at, c.state
FROM run_steps AS s JOIN step_checkpoints AS c ON c.step = s.id
WHERE :session_id IS NULL OR s.session_id = :session_id
ORDER BY s.id DESC, c.taken_at DESC, c.kind DESC LIMIT :most;

-- name: forget_steps
DELETE FROM run_steps WHERE id IN (SELECT id FROM run_steps WHERE began_at < :before LIMIT :most);
