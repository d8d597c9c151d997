-- Who said yes to exactly this, and what keeps people from being asked again.

CREATE TABLE approvals (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: an old `ap_7` must not name a new request
    digest       TEXT NOT NULL,   -- of the call below; a retry is recognised by it
    session_id   TEXT NOT NULL,
    actor        TEXT NOT NULL,
    revision     TEXT NOT NULL,   -- the policy it was asked under; a yes does not outlive it
    call         BLOB NOT NULL,   -- the exact bytes shown to the person
    reason       TEXT,
    approvers    TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(approvers)),
    state        TEXT NOT NULL DEFAULT 'pending'
                 CHECK (state IN ('pending', 'approved', 'denied', 'used', 'expired')),
    requested_at TEXT NOT NULL,
    expires_at   TEXT NOT NULL,   -- silence is not consent, so every request ends
    decided_by   TEXT,
    decided_at   TEXT,
    note         TEXT,
    CHECK (state NOT IN ('approved', 'denied', 'used') OR (decided_by IS NOT NULL AND decided_at IS NOT NULL))
) STRICT;
-- The same call asked twice is one request; once decided, the next asking is a new one.
CREATE UNIQUE INDEX approvals_pending ON approvals (session_id, digest, revision, actor) WHERE state = 'pending';
CREATE INDEX approvals_by_state ON approvals (state, expires_at);

CREATE TABLE grants (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('call', 'pattern')),
    digest     TEXT,              -- of the one call, for kind `call`
    pattern    TEXT,              -- `Tool(glob)`, for kind `pattern`
    session_id TEXT,              -- null: any session of the project
    project    TEXT,
    actor      TEXT,              -- null: any actor
    until      TEXT,              -- null: as long as the session
    approval   INTEGER REFERENCES approvals (id),
    granted_by TEXT NOT NULL,
    granted_at TEXT NOT NULL,
    revoked_by TEXT,
    revoked_at TEXT,
    note       TEXT,
    -- A grant that is bound to nothing would be a hole in the policy.
    CHECK ((kind = 'call') = (digest IS NOT NULL)),
    CHECK ((kind = 'pattern') = (pattern IS NOT NULL)),
    CHECK (session_id IS NOT NULL OR (project IS NOT NULL AND until IS NOT NULL))
) STRICT;
CREATE INDEX grants_in_force ON grants (project, session_id) WHERE revoked_at IS NULL;

PRAGMA user_version = 4;
