-- Folders that agents work in.

-- name: add
INSERT INTO projects (path, name, created_at) VALUES (:path, :name, :now) ON CONFLICT (path) DO NOTHING;

-- name: at
SELECT * FROM projects WHERE path = :path;

-- name: get
SELECT * FROM projects WHERE id = :id;

-- name: nearest
SELECT * FROM projects WHERE path IN (SELECT value FROM json_each(:paths)) ORDER BY length(path) DESC LIMIT 1;
