-- What hooks remember of a session between its moments, by the name of the hook.
CREATE TABLE hook_memory (
    session_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL CHECK (json_valid(value)),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_memory_by_time ON hook_memory (updated_at);

PRAGMA user_version = 14;
