-- The runs that `once` hooks have had.

-- name: claim
INSERT OR IGNORE INTO once_fired (session_id, key, fired_at) VALUES (?, ?, ?);

-- name: release
DELETE FROM once_fired WHERE session_id = ? AND key = ?;
