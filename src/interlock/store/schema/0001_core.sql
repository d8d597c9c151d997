-- The state of the work in three layers: a task gathers efforts, an effort outlives its sessions.
-- All times are UTC text in one form, `2026-01-31T12:00:00.000Z`, so that comparing texts compares times.
-- Columns that hold JSON say so with json_valid; a list column is never null, so readers need no second case.

-- "ILK1": tells our file from any other database somebody points us at.
PRAGMA application_id = 1229736753;

CREATE TABLE projects (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,  -- absolute and resolved, or one folder would count as two projects
    name       TEXT,
    created_at TEXT NOT NULL
) STRICT;

-- What a skill's own file says, kept so that starting a session parses nothing.
CREATE TABLE skills (
    id               INTEGER PRIMARY KEY,
    project_id       INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name             TEXT NOT NULL,
    description      TEXT,
    version          TEXT,
    phases           TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(phases)),
    modes            TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(modes)),
    templates        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(templates)),
    cmd_dependencies TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(cmd_dependencies)),
    next_skills      TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(next_skills)),
    directives       TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(directives)),
    updated_at       TEXT NOT NULL,
    UNIQUE (project_id, name)
) STRICT;

-- A container that never finishes: whether it is active is read off its efforts (task_summary).
CREATE TABLE tasks (
    id          INTEGER PRIMARY KEY,
    dir_path    TEXT NOT NULL UNIQUE,  -- a task is known by its folder
    project_id  INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    workspace   TEXT,
    title       TEXT,
    description TEXT,
    keywords    TEXT,
    created_at  TEXT NOT NULL
) STRICT;

-- One use of a skill. Its artifacts are numbered by its ordinal within the task.
CREATE TABLE efforts (
    id                     INTEGER PRIMARY KEY,
    task_id                INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    skill                  TEXT NOT NULL,
    mode                   TEXT,
    ordinal                INTEGER NOT NULL CHECK (ordinal >= 1),
    lifecycle              TEXT NOT NULL DEFAULT 'active' CHECK (lifecycle IN ('active', 'finished')),
    current_phase          TEXT,
    discovered_directives  TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(discovered_directives)),
    discovered_directories TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(discovered_directories)),
    metadata               TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
    created_at             TEXT NOT NULL,
    finished_at            TEXT,
    UNIQUE (task_id, ordinal),
    CHECK ((lifecycle = 'finished') = (finished_at IS NOT NULL))
) STRICT;
CREATE INDEX efforts_by_task ON efforts (task_id, lifecycle);

-- One context window. It is ended, never resumed: the next one of the same effort points back to it.
CREATE TABLE sessions (
    id                     INTEGER PRIMARY KEY,
    host                   TEXT NOT NULL,
    host_session_id        TEXT NOT NULL,  -- the agent's own name for it, the one events carry
    agent_id               TEXT,           -- a sub-agent's; without it, starting one would end its parent's session
    task_id                INTEGER REFERENCES tasks (id) ON DELETE CASCADE,
    effort_id              INTEGER REFERENCES efforts (id) ON DELETE CASCADE,  -- null until it takes part in one
    prev_session_id        INTEGER REFERENCES sessions (id) ON DELETE SET NULL,
    pid                    INTEGER,        -- for people; a pid is reused and proves nothing
    heartbeat_counter      INTEGER NOT NULL DEFAULT 0,
    heartbeat_interval     INTEGER NOT NULL DEFAULT 10,
    last_heartbeat         TEXT,
    context_usage          REAL CHECK (context_usage BETWEEN 0 AND 1),
    loaded_files           TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(loaded_files)),
    preloaded_files        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(preloaded_files)),
    pending_injections     TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(pending_injections)),
    discovered_directives  TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(discovered_directives)),
    discovered_directories TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(discovered_directories)),
    dehydration_payload    TEXT CHECK (dehydration_payload IS NULL OR json_valid(dehydration_payload)),
    transcript_path        TEXT,
    transcript_offset      INTEGER NOT NULL DEFAULT 0,
    created_at             TEXT NOT NULL,
    ended_at               TEXT
) STRICT;
CREATE INDEX sessions_by_effort ON sessions (effort_id, ended_at);
CREATE INDEX sessions_by_host ON sessions (host_session_id, agent_id);

CREATE TABLE messages (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    content    TEXT NOT NULL,
    tool_name  TEXT,
    timestamp  TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, timestamp);

-- `status` is what hooks write, five words and no other. Whether a person has looked since is `checked_at`:
-- a fact about the person, so it is no sixth status that a hook could overwrite or a reader could mistake.
CREATE TABLE agents (
    id              TEXT PRIMARY KEY,
    label           TEXT,
    claims          TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(claims)),
    targeted_claims TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(targeted_claims)),
    manages         TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(manages)),
    parent          TEXT REFERENCES agents (id) ON DELETE SET NULL,
    effort_id       INTEGER REFERENCES efforts (id) ON DELETE SET NULL,
    status          TEXT NOT NULL DEFAULT 'idle'
                    CHECK (status IN ('working', 'idle', 'attention', 'error', 'done')),
    status_at       TEXT,
    checked_at      TEXT
) STRICT;

CREATE TABLE phase_history (
    id          INTEGER PRIMARY KEY,
    effort_id   INTEGER NOT NULL REFERENCES efforts (id) ON DELETE CASCADE,
    phase_label TEXT NOT NULL,
    proof       TEXT CHECK (proof IS NULL OR json_valid(proof)),
    created_at  TEXT NOT NULL
) STRICT;
CREATE INDEX phase_history_by_effort ON phase_history (effort_id);

PRAGMA user_version = 1;
