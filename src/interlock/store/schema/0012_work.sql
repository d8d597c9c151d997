-- What work that outlives a context window needs beside the tables it began with.

-- Calls that counted lately: a host may report one twice, and a restart in between must not count it again.
ALTER TABLE sessions ADD COLUMN recent_calls   TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recent_calls));
ALTER TABLE sessions ADD COLUMN end_reason     TEXT;
ALTER TABLE sessions ADD COLUMN restart_prompt TEXT;  -- what an agent that takes over is started with

ALTER TABLE efforts ADD COLUMN resumed_at TEXT;        -- taken up again: it counts as the latest from then on

ALTER TABLE agents ADD COLUMN host_session_id TEXT;   -- the session it is in, also without an effort
ALTER TABLE agents ADD COLUMN pane            TEXT;   -- of tmux
ALTER TABLE agents ADD COLUMN tmux            TEXT;   -- the server and session the pane belongs to

ALTER TABLE phase_history ADD COLUMN reason TEXT;     -- why the phase is out of order

-- Pages of messages go by id: many share a timestamp.
CREATE INDEX messages_in_order ON messages (session_id);
CREATE INDEX sessions_by_task ON sessions (task_id);
CREATE INDEX sessions_by_previous ON sessions (prev_session_id);
CREATE INDEX sessions_open ON sessions (id) WHERE ended_at IS NULL;
CREATE INDEX tasks_by_project ON tasks (project_id);
CREATE INDEX efforts_active ON efforts (id) WHERE lifecycle = 'active';
CREATE INDEX agents_by_effort ON agents (effort_id);
CREATE INDEX agents_by_host ON agents (host_session_id);

-- Every agent once, as before; its session is the one it says it is in, else the newest open one of its effort.
DROP VIEW fleet_status;
CREATE VIEW fleet_status AS
SELECT
    a.id AS agent,
    a.label,
    a.status,
    CASE
        WHEN a.status = 'attention' AND a.checked_at >= a.status_at THEN 'checked'  -- it waits, and a person knows
        WHEN a.status <> 'done' THEN a.status
        WHEN a.checked_at >= a.status_at THEN 'done'
        ELSE 'unchecked'  -- it ended and nobody has looked yet
    END AS shown,
    CASE
        WHEN a.status = 'error' THEN 1
        WHEN a.status = 'attention' AND (a.checked_at IS NULL OR a.checked_at < a.status_at) THEN 2
        WHEN a.status = 'working' THEN 3
        WHEN a.status = 'done' AND (a.checked_at IS NULL OR a.checked_at < a.status_at) THEN 4
        WHEN a.status = 'attention' THEN 5
        ELSE 6
    END AS priority,  -- the smallest number is looked at first
    a.status_at,
    a.checked_at,
    a.parent,
    a.manages,
    a.pane,
    a.tmux,
    a.host_session_id,
    e.id AS effort_id,
    e.skill,
    e.mode,
    e.ordinal,
    e.lifecycle,
    e.current_phase,
    CASE json_type(e.metadata, '$.blockAfter')
        WHEN 'integer' THEN json_extract(e.metadata, '$.blockAfter')
    END AS block_after,
    t.dir_path AS task_dir,
    s.id AS session_id,
    s.heartbeat_counter,
    s.context_usage,
    s.last_heartbeat
FROM agents AS a
LEFT JOIN efforts AS e ON e.id = a.effort_id
LEFT JOIN tasks AS t ON t.id = e.task_id
LEFT JOIN sessions AS s ON s.id = coalesce(
    (
        SELECT max(o.id) FROM sessions AS o
        WHERE o.host_session_id = a.host_session_id AND o.agent_id IS NULL AND o.ended_at IS NULL
    ),
    (
        -- One that says where it is counts for nothing else: somebody else may have taken its effort over.
        SELECT max(o.id) FROM sessions AS o
        WHERE a.host_session_id IS NULL AND o.effort_id = e.id AND o.ended_at IS NULL
            AND (o.agent_id IS NULL OR o.agent_id = a.id)
    )
);

PRAGMA user_version = 12;
