-- What the dashboard looks for in the chain beside what `ledger.sql` finds.

-- name: end_of_call
-- The end of a call is near its beginning; one that never ended must not have the whole session read for it.
SELECT
    l.seq, l.id, l.op, l.ts, l.actor, l.workspace, l.session_id, l.event,
    l.tool, l.decision, l.payload, l.prev_hash, l.hash
FROM ledger_blocks AS b
CROSS JOIN ledger AS l ON l.seq BETWEEN b.block * 512 AND b.block * 512 + 511
WHERE b.kind = 'session'
    AND b.name = :session
    AND b.block BETWEEN :seq / 512 AND (:seq + :within) / 512
    AND l.seq > :seq
    AND l.session_id = :session
    AND l.event IN ('PostToolUse', 'PostToolUseFailure', 'PermissionDenied')
    AND json_extract(CAST(l.payload AS TEXT), '$.body.tool_use_id') = :use_id
ORDER BY b.block, l.seq
LIMIT 1;
