-- Agents: who is at work, and how that looks to a person.

-- name: seen
-- What is not said now stays as it was; somebody new is idle from now on.
INSERT INTO agents (id, label, effort_id, parent, host_session_id, pane, tmux, status_at)
VALUES (:id, :label, :effort_id, :parent, :host_session_id, :pane, :tmux, :now)
ON CONFLICT (id) DO UPDATE SET
    label = coalesce(excluded.label, label),
    effort_id = coalesce(excluded.effort_id, effort_id),
    parent = coalesce(excluded.parent, parent),
    host_session_id = coalesce(excluded.host_session_id, host_session_id),
    pane = coalesce(excluded.pane, pane),
    tmux = coalesce(excluded.tmux, tmux)
RETURNING *;

-- name: get
SELECT * FROM agents WHERE id = :id;

-- name: of_host
SELECT * FROM agents WHERE host_session_id = :host_session_id ORDER BY status_at DESC LIMIT 1;

-- name: named
-- A name of its own first, then what people call it, the one that was heard of last.
SELECT * FROM agents WHERE id = :name OR label = :name ORDER BY id = :name DESC, status_at DESC LIMIT 1;

-- name: manager_of
SELECT * FROM agents AS a
WHERE EXISTS (SELECT 1 FROM json_each(a.manages) WHERE value IN (SELECT value FROM json_each(:names)))
ORDER BY a.status_at DESC LIMIT 1;

-- name: set_status
-- The time is that of the change: an agent that goes on working has been at it since it began.
UPDATE agents SET status = :status, status_at = :now WHERE id = :id AND (status <> :status OR status_at IS NULL);

-- name: check
UPDATE agents SET checked_at = :now WHERE id = :id;

-- name: leave
UPDATE agents SET effort_id = NULL WHERE effort_id = :effort_id;

-- name: set_manages
UPDATE agents SET manages = :manages WHERE id = :id;

-- name: fleet
-- One that was killed is as urgent as one that failed, until a person has looked.
SELECT f.*, iif(f.killed, 'gone', f.shown) AS shown, iif(f.killed, 1, f.priority) AS priority
FROM (
    SELECT v.*, v.shown = 'unchecked' AND (
        SELECT s.end_reason FROM sessions AS s
        WHERE s.host_session_id = v.host_session_id AND s.agent_id IS NULL ORDER BY s.id DESC LIMIT 1
    ) IS 'gone' AS killed
    FROM fleet_status AS v
) AS f
ORDER BY iif(f.killed, 1, f.priority), f.status_at DESC, f.agent LIMIT :most;

-- name: forget
DELETE FROM agents WHERE status_at < :before AND status IN ('done', 'idle');
