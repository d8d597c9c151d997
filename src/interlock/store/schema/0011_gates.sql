-- How often a stop was sent back in the turn a session is in, by hook; `*` is the sum of all hooks.
CREATE TABLE stop_rounds (
    session_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    rounds     INTEGER NOT NULL CHECK (rounds >= 1),
    updated_at TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;

-- A request about work, and not about a call, is found by what it is about, whoever asks.
CREATE INDEX approvals_of_work ON approvals (digest) WHERE tool IS NULL;

PRAGMA user_version = 11;
