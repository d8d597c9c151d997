-- What only the dashboard asks; it reads and never writes.

-- name: pending
SELECT id FROM approvals WHERE state = 'pending' AND expires_at > ? ORDER BY id;

-- name: waiting
-- The oldest of those that wait.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE state = 'pending' AND expires_at > :now ORDER BY id LIMIT :limit;

-- name: answered
-- The newest of those that wait no more; one that is over may not be marked so yet.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE NOT (state = 'pending' AND expires_at > :now) ORDER BY id DESC LIMIT :limit;
