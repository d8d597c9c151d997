-- Sessions a person has cancelled.

-- name: all
SELECT session_id, state, at, by, reason, hold FROM cancellations;

-- name: put
INSERT INTO cancellations (session_id, state, at, by, reason, hold) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (session_id) DO UPDATE
SET state = excluded.state, at = excluded.at, by = excluded.by, reason = excluded.reason, hold = excluded.hold;

-- name: remove
DELETE FROM cancellations WHERE session_id = ?;

-- name: clear
DELETE FROM cancellations;

-- name: take_back
-- A request about all sessions counts for those that were let go before it.
DELETE FROM cancellations WHERE state = 'let_go';

-- name: forget
DELETE FROM cancellations WHERE at < ? AND hold = 0;

-- name: known
-- The sessions whose names begin so; three are enough to say that there are several.
SELECT DISTINCT session_id FROM ledger WHERE session_id >= :begin AND session_id < :end LIMIT 3;
