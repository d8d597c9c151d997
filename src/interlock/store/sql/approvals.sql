-- Requests for a person's yes. Each transition is one statement that names the state it leaves.

-- name: expire
UPDATE approvals SET state = 'expired'
WHERE state IN ('pending', 'approved')
  -- What was asked later than now was asked while the clock was ahead: nobody knows how long ago that is.
  AND (expires_at <= :now OR requested_at > :now)
  -- A yes to a piece of work is not used up, and holds.
  AND NOT (state = 'approved' AND tool IS NULL AND rule = 'approval_gate:work')
RETURNING id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told;

-- name: request
-- The same call asked again while it waits is the same request.
INSERT INTO approvals
    (digest, session_id, actor, revision, call, reason, approvers, requested_at, expires_at, root, project, tool, rule,
     commitment, seen)
VALUES
    (:digest, :session_id, :actor, :revision, :call, :reason, :approvers, :now, :expires_at, :root, :project, :tool,
     :rule, :commitment, :seen)
ON CONFLICT (session_id, digest, revision, actor) WHERE state = 'pending' DO NOTHING;

-- name: find
-- What waits, or was decided and holds, for exactly this call; of several the newest.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals
WHERE session_id = :session_id AND digest = :digest AND revision = :revision AND actor = :actor
  AND state IN ('pending', 'approved', 'denied') AND expires_at > :now AND requested_at <= :now
ORDER BY id DESC LIMIT 1;

-- name: get
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE id = ?;

-- name: waiting
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE state = 'pending' ORDER BY id;

-- name: newest
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals ORDER BY id DESC LIMIT ?;

-- name: approve
-- A yes holds as long again as the question did: whoever says it late must not say it too late.
UPDATE approvals SET state = 'approved', decided_by = :by, decided_at = :now, note = :note, expires_at = :expires_at,
    seen = :seen
WHERE id = :id AND state = 'pending' AND expires_at > :now AND requested_at <= :now;

-- name: deny
-- No wins: it also takes back a yes that has not been used.
UPDATE approvals SET state = 'denied', decided_by = :by, decided_at = :now, note = :note, expires_at = :expires_at
WHERE id = :id AND state IN ('pending', 'approved')
  -- A yes to a piece of work has no end, so it can always be taken back.
  AND (expires_at > :now OR (state = 'approved' AND rule = 'approval_gate:work'));

-- name: second
-- One of several who must say yes: it goes on waiting, and says who has.
UPDATE approvals SET decided_by = :by, decided_at = :now
WHERE id = :id AND state = 'pending' AND expires_at > :now AND requested_at <= :now;

-- name: use
-- Counts only once: a second use finds the state changed and alters nothing.
UPDATE approvals SET state = 'used' WHERE id = :id AND state = 'approved' AND expires_at > :now AND requested_at <= :now;

-- name: end
-- The question is over without an answer.
UPDATE approvals SET state = 'expired', note = :note WHERE id = :id AND state = 'pending';

-- name: untold
-- What was refused in a session, and the agent has not heard of it.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE session_id = :session_id AND state = 'denied' AND told = 0 AND expires_at > :now ORDER BY id;

-- name: tell
UPDATE approvals SET told = 1 WHERE id = ? AND told = 0;

-- name: forget
-- What is long over is in the ledger, as long as that is kept; a grant still tells what it was given for.
DELETE FROM approvals
WHERE state IN ('denied', 'used', 'expired') AND expires_at < :before
  AND id NOT IN (SELECT approval FROM grants WHERE approval IS NOT NULL);

-- name: of_work
-- The newest request about a piece of work, whoever asked and in whatever state.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals WHERE digest = ? AND tool IS NULL ORDER BY id DESC LIMIT 1;

-- name: of_commitment
-- The newest each of its approvers was asked about a commitment, where a no still changes something.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals
WHERE state IN ('pending', 'approved') AND id IN (
    SELECT max(id) FROM approvals
    WHERE commitment = ? AND tool IS NULL AND rule = 'approval_gate:work' GROUP BY approvers
);

-- name: of_session
-- The newest one a session asked of the same people.
SELECT id, digest, session_id, actor, revision, call, reason, approvers, state, requested_at, expires_at,
    decided_by, decided_at, note, root, project, tool, rule, commitment, seen, told
FROM approvals
WHERE session_id = ? AND approvers = ? AND tool IS NULL AND rule = 'approval_gate:work' ORDER BY id DESC LIMIT 1;
