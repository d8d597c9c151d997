-- Every statement on the chain; a page of rows comes newest first and goes on before a seq.
-- A filter that is not given is null. Each list has the one filter written plainly that its index serves.

-- name: insert
INSERT INTO ledger
    (seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: head
SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: hash_at
SELECT hash FROM ledger WHERE seq = ?;

-- name: count
SELECT count(*) FROM ledger;

-- name: all
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
ORDER BY seq;

-- name: by_seq
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE seq = ?;

-- name: by_id
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE id = ?;

-- name: after
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE seq > ?
ORDER BY seq
LIMIT ?;

-- name: list
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE seq < :before
    AND (:tool IS NULL OR tool = :tool)
    AND (:decision IS NULL OR decision = :decision)
ORDER BY seq DESC
LIMIT :limit;

-- name: list_by_actor
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE actor = :actor
    AND seq < :before
    AND (:tool IS NULL OR tool = :tool)
    AND (:decision IS NULL OR decision = :decision)
ORDER BY seq DESC
LIMIT :limit;

-- name: list_by_session
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE session_id = :session
    AND seq < :before
    AND (:actor IS NULL OR actor = :actor)
    AND (:tool IS NULL OR tool = :tool)
    AND (:decision IS NULL OR decision = :decision)
ORDER BY seq DESC
LIMIT :limit;
