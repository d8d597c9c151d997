-- In which blocks of 512 seqs the entries of a session or an actor are. An index of every entry would have a page
-- for each active session, all of them written by every commit; here a session writes one row in 512 entries.
CREATE TABLE ledger_blocks (
    kind  TEXT NOT NULL CHECK (kind IN ('actor', 'session')),
    name  TEXT NOT NULL,
    block INTEGER NOT NULL,  -- seq / 512
    PRIMARY KEY (kind, name, block)
) STRICT, WITHOUT ROWID;

INSERT INTO ledger_blocks (kind, name, block)
SELECT DISTINCT 'session', session_id, seq / 512 FROM ledger WHERE session_id IS NOT NULL
UNION
SELECT DISTINCT 'actor', actor, seq / 512 FROM ledger;

DROP INDEX ledger_by_session;
DROP INDEX ledger_by_actor;

PRAGMA user_version = 6;
