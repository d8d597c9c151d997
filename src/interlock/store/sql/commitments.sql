-- Operations on commitments among everything recorded. The list of operations is, word for word, the condition of
-- the index they are found by.

-- name: after
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op <> 'decision'
    AND (
        op = 'capture' OR op = 'commit' OR op = 'claim' OR op = 'release' OR op = 'close' OR op = 'annotate'
        OR op = 'link' OR op = 'dismiss' OR op = 'triage' OR op = 'submit' OR op = 'approve' OR op = 'reopen'
        OR op = 'reject' OR op = 'publish' OR op = 'cancel' OR op = 'imported' OR op = 'carried'
    )
    AND seq > ?
ORDER BY seq
LIMIT ?;

-- name: upto
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op <> 'decision'
    AND (
        op = 'capture' OR op = 'commit' OR op = 'claim' OR op = 'release' OR op = 'close' OR op = 'annotate'
        OR op = 'link' OR op = 'dismiss' OR op = 'triage' OR op = 'submit' OR op = 'approve' OR op = 'reopen'
        OR op = 'reject' OR op = 'publish' OR op = 'cancel' OR op = 'imported' OR op = 'carried'
    )
    AND seq <= ?
ORDER BY seq;

-- name: carried
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE
    op <> 'decision'
    AND (
        op = 'capture' OR op = 'commit' OR op = 'claim' OR op = 'release' OR op = 'close' OR op = 'annotate'
        OR op = 'link' OR op = 'dismiss' OR op = 'triage' OR op = 'submit' OR op = 'approve' OR op = 'reopen'
        OR op = 'reject' OR op = 'publish' OR op = 'cancel' OR op = 'imported' OR op = 'carried'
    )
    AND op = 'carried'
ORDER BY seq;
