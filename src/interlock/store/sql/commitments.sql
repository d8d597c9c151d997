-- Operations on commitments among everything recorded. The list of operations is, word for word, the condition of
-- the index they are found by.

-- name: after
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op IN (
        'capture', 'commit', 'claim', 'release', 'close', 'annotate', 'link', 'dismiss', 'triage', 'submit',
        'approve', 'reopen', 'reject', 'publish', 'cancel', 'imported', 'carried'
    )
    AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: upto
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op IN (
        'capture', 'commit', 'claim', 'release', 'close', 'annotate', 'link', 'dismiss', 'triage', 'submit',
        'approve', 'reopen', 'reject', 'publish', 'cancel', 'imported', 'carried'
    )
    AND seq <= ?
ORDER BY seq;

-- name: carried
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op IN (
        'capture', 'commit', 'claim', 'release', 'close', 'annotate', 'link', 'dismiss', 'triage', 'submit',
        'approve', 'reopen', 'reject', 'publish', 'cancel', 'imported', 'carried'
    )
    AND op = 'carried'
ORDER BY seq;
