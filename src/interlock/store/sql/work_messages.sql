-- What was said in sessions.

-- name: add
INSERT INTO messages (session_id, role, content, tool_name, timestamp)
VALUES (:session_id, :role, :content, :tool_name, :timestamp);

-- name: of_session
-- The newest, read backwards; the caller turns them around.
SELECT * FROM messages WHERE session_id = :session_id AND id < :before ORDER BY id DESC LIMIT :most;

-- name: count
SELECT count(*) FROM messages WHERE session_id = :session_id;

-- name: forget
DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE timestamp < :before LIMIT :most);

-- name: of_effort
SELECT * FROM messages
WHERE session_id IN (SELECT id FROM sessions WHERE effort_id = :effort_id) AND id < :before
ORDER BY id DESC LIMIT :most;
