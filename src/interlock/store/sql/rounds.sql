-- How often stops were sent back in a turn.

-- name: count
SELECT rounds FROM stop_rounds WHERE session_id = ? AND key = ?;

-- name: add
INSERT INTO stop_rounds (session_id, key, rounds, updated_at) VALUES (?, ?, 1, ?)
ON CONFLICT (session_id, key) DO UPDATE SET rounds = rounds + 1, updated_at = excluded.updated_at;

-- name: reset
DELETE FROM stop_rounds WHERE session_id = ?;

-- name: forget
-- Sessions that never came back.
DELETE FROM stop_rounds WHERE updated_at < ?;
