-- Every statement on the chain; a page of rows comes newest first and goes on before a seq.
-- A filter that is not given is null; a rule is looked for in the payload, last of all. A list by session or actor
-- reads the blocks where there are any, newest first; `CROSS JOIN` keeps that order, so that the first page needs no
-- more than the last blocks.

-- name: insert
INSERT INTO ledger
    (seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: insert_next
-- The same, if the last entry is the one that is named behind `prev_hash`; else there is no hash, and it fails.
INSERT INTO ledger
    (seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash)
VALUES (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    CASE WHEN (SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1) = (?, ?) THEN ? END
);

-- name: insert_16
-- The same with sixteen rows.
INSERT INTO ledger
    (seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash)
VALUES
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?),
    (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: insert_block
INSERT OR IGNORE INTO ledger_blocks (kind, name, block) VALUES (?, ?, ?);

-- name: has_block
SELECT 1 FROM ledger_blocks WHERE kind = ? AND name = ? AND block = ?;

-- name: head
SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: last_time
SELECT ts FROM ledger ORDER BY seq DESC LIMIT 1;

-- name: hash_at
SELECT hash FROM ledger WHERE seq = ?;

-- name: payload_at
SELECT payload FROM ledger WHERE seq = ?;

-- name: decided_between
-- The calls of one kind that were decided behind one entry and up to another, the first of them first.
SELECT seq, session_id, payload FROM ledger
WHERE seq > ? AND seq <= ? AND event = ? AND op = 'decision'
ORDER BY seq;

-- name: ends
-- Each on its own: together they would read every entry.
SELECT (SELECT min(seq) FROM ledger), (SELECT max(seq) FROM ledger);

-- name: count
SELECT count(*) FROM ledger;

-- name: all
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
ORDER BY seq;

-- name: span
-- What is counted of every entry between two seqs.
SELECT op, ts, actor, session_id, tool, payload FROM ledger WHERE seq BETWEEN ? AND ? ORDER BY seq;

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
    AND seq >= :low
    AND (:tool IS NULL OR tool = :tool)
    AND (:decision IS NULL OR decision = :decision)
    AND (:op IS NULL OR op = :op)
    AND (:since IS NULL OR ts >= :since)
    AND (:until IS NULL OR ts < :until)
    AND (
        :rule IS NULL
        OR :rule = coalesce(
            json_extract(CAST(payload AS TEXT), '$.body.decided_by'),
            json_extract(CAST(payload AS TEXT), '$.body.hook')
        )
    )
ORDER BY seq DESC
LIMIT :limit;

-- name: list_by_actor
SELECT
    l.seq, l.id, l.op, l.ts, l.actor, l.workspace, l.session_id, l.event,
    l.tool, l.decision, l.payload, l.prev_hash, l.hash
FROM ledger_blocks AS b
CROSS JOIN ledger AS l ON l.seq BETWEEN b.block * 512 AND b.block * 512 + 511
WHERE b.kind = 'actor'
    AND b.name = :actor
    AND b.block <= :before / 512
    AND l.actor = :actor
    AND l.seq < :before
    AND l.seq >= :low
    AND (:tool IS NULL OR l.tool = :tool)
    AND (:decision IS NULL OR l.decision = :decision)
    AND (:op IS NULL OR l.op = :op)
    AND (:since IS NULL OR l.ts >= :since)
    AND (:until IS NULL OR l.ts < :until)
    AND (
        :rule IS NULL
        OR :rule = coalesce(
            json_extract(CAST(l.payload AS TEXT), '$.body.decided_by'),
            json_extract(CAST(l.payload AS TEXT), '$.body.hook')
        )
    )
ORDER BY b.block DESC, l.seq DESC
LIMIT :limit;

-- name: session_named
SELECT b.name
FROM ledger_blocks AS b
WHERE b.kind = 'session'
    AND b.name >= :begins
    AND substr(b.name, 1, length(:begins)) = :begins
ORDER BY b.block DESC
LIMIT 1;

-- name: list_by_session
SELECT
    l.seq, l.id, l.op, l.ts, l.actor, l.workspace, l.session_id, l.event,
    l.tool, l.decision, l.payload, l.prev_hash, l.hash
FROM ledger_blocks AS b
CROSS JOIN ledger AS l ON l.seq BETWEEN b.block * 512 AND b.block * 512 + 511
WHERE b.kind = 'session'
    AND b.name = :session
    AND b.block <= :before / 512
    AND l.session_id = :session
    AND l.seq < :before
    AND l.seq >= :low
    AND (:actor IS NULL OR l.actor = :actor)
    AND (:tool IS NULL OR l.tool = :tool)
    AND (:decision IS NULL OR l.decision = :decision)
    AND (:op IS NULL OR l.op = :op)
    AND (:since IS NULL OR l.ts >= :since)
    AND (:until IS NULL OR l.ts < :until)
    AND (
        :rule IS NULL
        OR :rule = coalesce(
            json_extract(CAST(l.payload AS TEXT), '$.body.decided_by'),
            json_extract(CAST(l.payload AS TEXT), '$.body.hook')
        )
    )
ORDER BY b.block DESC, l.seq DESC
LIMIT :limit;

-- name: names_of_actor
SELECT DISTINCT actor FROM ledger;

-- name: names_of_tool
SELECT DISTINCT tool FROM ledger WHERE tool IS NOT NULL;

-- name: names_of_op
SELECT DISTINCT op FROM ledger;
