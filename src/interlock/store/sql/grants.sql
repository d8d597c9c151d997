-- Standing answers to an ask.

-- name: grant
INSERT INTO grants
    (kind, digest, pattern, session_id, project, actor, until, approval, granted_by, granted_at, note)
VALUES
    (:kind, :digest, :pattern, :session_id, :project, :actor, :until, :approval, :by, :now, :note)
RETURNING id;

-- name: covering
-- In force for this session or this project; the oldest first, so that the same one answers every time.
SELECT id, kind, digest, pattern, session_id, project, actor, until, approval, granted_by, granted_at, revoked_by,
    revoked_at, note
FROM grants
WHERE revoked_at IS NULL AND (until IS NULL OR until > :now)
  AND (until IS NULL OR granted_at <= :now)  -- else it was given while the clock was ahead
  AND (session_id = :session_id OR (session_id IS NULL AND project = :project))
  AND (actor IS NULL OR actor = :actor) AND (digest IS NULL OR digest = :digest)
ORDER BY id;

-- name: get
SELECT id, kind, digest, pattern, session_id, project, actor, until, approval, granted_by, granted_at, revoked_by,
    revoked_at, note
FROM grants WHERE id = ?;

-- name: standing
SELECT id, kind, digest, pattern, session_id, project, actor, until, approval, granted_by, granted_at, revoked_by,
    revoked_at, note
FROM grants WHERE revoked_at IS NULL AND (until IS NULL OR until > :now) ORDER BY id;

-- name: newest
SELECT id, kind, digest, pattern, session_id, project, actor, until, approval, granted_by, granted_at, revoked_by,
    revoked_at, note
FROM grants ORDER BY id DESC LIMIT ?;

-- name: revoke
UPDATE grants SET revoked_by = :by, revoked_at = :now WHERE id = :id AND revoked_at IS NULL;
