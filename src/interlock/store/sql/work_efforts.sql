-- Efforts: uses of a skill, numbered within their task.

-- name: start
INSERT INTO efforts (task_id, skill, mode, ordinal, metadata, created_at)
SELECT :task_id, :skill, :mode, coalesce(max(ordinal), 0) + 1, :metadata, :now FROM efforts WHERE task_id = :task_id
RETURNING *;

-- name: finish
UPDATE efforts SET lifecycle = 'finished', finished_at = :now WHERE id = :id AND lifecycle = 'active' RETURNING *;

-- name: get
SELECT * FROM efforts WHERE id = :id;

-- name: active_in
-- The newest first: the latest is the one a new session goes on with.
SELECT e.* FROM efforts AS e JOIN tasks AS t ON t.id = e.task_id
WHERE t.project_id = :project_id AND e.lifecycle = 'active'
ORDER BY coalesce(e.resumed_at, e.created_at) DESC, e.id DESC LIMIT :most;

-- name: resume
UPDATE efforts SET resumed_at = :now WHERE id = :id RETURNING *;

-- name: of_agent
SELECT e.* FROM agents AS a JOIN efforts AS e ON e.id = a.effort_id
WHERE a.id = :agent_id AND e.lifecycle = 'active';

-- name: latest_of_task
SELECT * FROM efforts WHERE task_id = :task_id AND lifecycle = 'active' ORDER BY ordinal DESC LIMIT 1;

-- name: at
SELECT * FROM efforts WHERE task_id = :task_id AND ordinal = :ordinal;

-- name: listed
SELECT e.* FROM efforts AS e
WHERE (:active = 0 OR e.lifecycle = 'active')
  AND (:project_id IS NULL OR e.task_id IN (SELECT id FROM tasks WHERE project_id = :project_id))
ORDER BY e.id DESC LIMIT :most;

-- name: listed_of_task
SELECT * FROM efforts WHERE task_id = :task_id AND (:active = 0 OR lifecycle = 'active')
ORDER BY ordinal DESC LIMIT :most;

-- name: set_metadata
UPDATE efforts SET metadata = :metadata WHERE id = :id;

-- name: set_phase
UPDATE efforts SET current_phase = :phase WHERE id = :id;

-- name: set_directives
UPDATE efforts SET discovered_directives = :directives, discovered_directories = :directories WHERE id = :id;
