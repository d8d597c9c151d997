-- What skill files say, kept so that starting a session parses nothing.

-- name: put
INSERT INTO skills
    (project_id, name, description, version, phases, modes, templates, cmd_dependencies, next_skills, directives,
     updated_at)
VALUES
    (:project_id, :name, :description, :version, :phases, :modes, :templates, :cmd_dependencies, :next_skills,
     :directives, :now)
ON CONFLICT (project_id, name) DO UPDATE SET
    description = excluded.description, version = excluded.version, phases = excluded.phases, modes = excluded.modes,
    templates = excluded.templates, cmd_dependencies = excluded.cmd_dependencies,
    next_skills = excluded.next_skills, directives = excluded.directives, updated_at = excluded.updated_at
RETURNING *;

-- name: get
SELECT * FROM skills WHERE project_id = :project_id AND name = :name;

-- name: forget
DELETE FROM skills WHERE project_id = :project_id;
