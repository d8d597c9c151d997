-- What hooks remember of a session.

-- name: get
SELECT value FROM hook_memory WHERE session_id = ? AND key = ?;

-- name: put
INSERT INTO hook_memory (session_id, key, value, updated_at) VALUES (?, ?, ?, ?)
ON CONFLICT (session_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at;

-- name: forget
-- Sessions that never came back.
DELETE FROM hook_memory WHERE updated_at < ?;
