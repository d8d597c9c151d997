-- Tasks: a folder each.

-- name: add
INSERT INTO tasks (dir_path, project_id, workspace, title, description, keywords, created_at)
VALUES (:dir_path, :project_id, :workspace, :title, :description, :keywords, :now)
ON CONFLICT (dir_path) DO NOTHING;

-- name: at
SELECT * FROM tasks WHERE dir_path = :dir_path;

-- name: get
SELECT * FROM tasks WHERE id = :id;

-- name: summary
SELECT * FROM task_summary WHERE id = :id;

-- name: listed
-- The tasks are chosen before anything is read off their efforts, or a list of twenty would cost as much as all.
SELECT * FROM task_summary
WHERE id IN (
    SELECT id FROM tasks WHERE :project_id IS NULL OR project_id = :project_id ORDER BY id DESC LIMIT :most
)
ORDER BY last_activity DESC, id DESC;

-- name: set_keywords
UPDATE tasks SET keywords = :keywords WHERE id = :id;
