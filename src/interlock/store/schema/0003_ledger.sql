-- The chain. `payload` is the record: JSON bytes that hold every other column but the hashes, hashed as they
-- stand here, so that verifying never writes JSON again. The columns beside it are copies to search by;
-- verifying compares each with the payload.
CREATE TABLE ledger (
    seq        INTEGER PRIMARY KEY CHECK (seq >= 1),
    id         TEXT NOT NULL UNIQUE,  -- begins with the time, so its index grows at one end
    op         TEXT NOT NULL,
    ts         TEXT NOT NULL,         -- by the clock; the order is seq, since clocks jump
    actor      TEXT NOT NULL,
    workspace  TEXT NOT NULL,
    session_id TEXT,
    event      TEXT,
    tool       TEXT,
    decision   TEXT,
    payload    BLOB NOT NULL,
    prev_hash  BLOB NOT NULL CHECK (length(prev_hash) = 32),
    hash       BLOB NOT NULL CHECK (length(hash) = 32)  -- no index: random keys would slow every append
) STRICT;

-- An index ends with the row's key, so each of these also gives its rows newest first, a page at a time.
CREATE INDEX ledger_by_session ON ledger (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX ledger_by_actor ON ledger (actor);

PRAGMA user_version = 3;
