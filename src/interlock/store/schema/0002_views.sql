-- What people look at. Everything here is derived, so nothing here can be out of date.

-- Every agent once: one without an effort is shown too, and of several open sessions the newest counts,
-- or an agent with sub-agents would appear once per sub-agent.
CREATE VIEW fleet_status AS
SELECT
    a.id AS agent,
    a.label,
    a.status,
    CASE
        WHEN a.status <> 'done' THEN a.status
        WHEN a.checked_at >= a.status_at THEN 'done'
        ELSE 'unchecked'  -- it ended and nobody has looked yet
    END AS shown,
    CASE
        WHEN a.status = 'error' THEN 1
        WHEN a.status = 'attention' THEN 2
        WHEN a.status = 'working' THEN 3
        WHEN a.status = 'done' AND (a.checked_at IS NULL OR a.checked_at < a.status_at) THEN 4
        ELSE 5
    END AS priority,  -- the smallest number is looked at first
    e.id AS effort_id,
    e.skill,
    e.current_phase,
    t.dir_path AS task_dir,
    s.id AS session_id,
    s.heartbeat_counter,
    s.context_usage
FROM agents AS a
LEFT JOIN efforts AS e ON e.id = a.effort_id
LEFT JOIN tasks AS t ON t.id = e.task_id
LEFT JOIN sessions AS s ON s.id = (
    SELECT max(o.id) FROM sessions AS o
    WHERE o.effort_id = e.id AND o.ended_at IS NULL AND (o.agent_id IS NULL OR o.agent_id = a.id)
);

-- Counted in subqueries: joining efforts and sessions at once would count an effort once per session.
CREATE VIEW task_summary AS
SELECT
    t.*,
    (SELECT count(*) FROM efforts AS e WHERE e.task_id = t.id) AS effort_count,
    (SELECT count(*) FROM efforts AS e WHERE e.task_id = t.id AND e.lifecycle = 'active') AS active_count,
    CASE
        WHEN EXISTS (SELECT 1 FROM efforts AS e WHERE e.task_id = t.id AND e.lifecycle = 'active') THEN 'active'
        ELSE 'dormant'
    END AS state,
    max(
        t.created_at,
        coalesce((SELECT max(coalesce(e.finished_at, e.created_at)) FROM efforts AS e WHERE e.task_id = t.id), ''),
        coalesce(
            (
                SELECT max(coalesce(s.ended_at, s.last_heartbeat, s.created_at))
                FROM sessions AS s
                WHERE s.task_id = t.id
            ),
            ''
        )
    ) AS last_activity
FROM tasks AS t;

CREATE VIEW active_efforts AS
SELECT e.*, t.dir_path AS task_dir, t.project_id
FROM efforts AS e
JOIN tasks AS t ON t.id = e.task_id
WHERE e.lifecycle = 'active';

-- A session that never had a heartbeat is measured from its start; a null would never be stale.
CREATE VIEW stale_sessions AS
SELECT s.*, t.dir_path AS task_dir
FROM sessions AS s
LEFT JOIN tasks AS t ON t.id = s.task_id
WHERE s.ended_at IS NULL
    AND coalesce(s.last_heartbeat, s.created_at) < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-5 minutes');

PRAGMA user_version = 2;
