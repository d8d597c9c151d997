-- Requests for a person's yes.

-- name: expire
UPDATE approvals SET state = 'expired' WHERE state IN ('pending', 'approved') AND expires_at <= :now;

-- name: request
-- The same call asked again while it waits is the same request.
INSERT INTO approvals (digest, session_id, actor, revision, call, reason, requested_at, expires_at)
VALUES (:digest, :session_id, :actor, :revision, :call, :reason, :now, :expires_at)
ON CONFLICT (session_id, digest, revision, actor) WHERE state = 'pending' DO NOTHING;

-- name: find
SELECT id, state, decided_by FROM approvals
WHERE session_id = :session_id AND digest = :digest AND revision = :revision AND actor = :actor
  AND state IN ('pending', 'approved', 'denied') AND expires_at > :now
ORDER BY id DESC LIMIT 1;

-- name: use
-- Counts only once: a second use finds the state changed and alters nothing.
UPDATE approvals SET state = 'used' WHERE id = :id AND state = 'approved';
