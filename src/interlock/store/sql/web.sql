-- What only the dashboard asks; it reads and never writes.

-- name: pending
SELECT id FROM approvals WHERE state = 'pending' AND expires_at > ? ORDER BY id;
