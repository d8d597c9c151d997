-- Where the chain begins, and which chain it is. Retention removes entries from the front only and keeps here what
-- the first one left is bound to; verifying starts there. One row, made with the table, so that every ledger has a
-- name of its own from its first entry on.
CREATE TABLE ledger_base (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    ledger    TEXT NOT NULL,                   -- random; checkpoints name it
    seq       INTEGER NOT NULL DEFAULT 0,      -- the last entry that was removed; 0: none was
    hash      BLOB NOT NULL DEFAULT x'0000000000000000000000000000000000000000000000000000000000000000'
              CHECK (length(hash) = 32),       -- its hash
    entry     INTEGER,                         -- the `retention` entry that says so; null: none was removed
    signature TEXT,                            -- the one that entry carries
    CHECK ((seq = 0) = (entry IS NULL)),
    CHECK ((entry IS NULL) = (signature IS NULL))
) STRICT;

INSERT INTO ledger_base (one, ledger) VALUES (1, lower(hex(randomblob(16))));

-- Both kinds are rare: finding the last one must not mean reading everything.
CREATE INDEX ledger_checkpoints ON ledger (seq) WHERE op = 'checkpoint';
CREATE INDEX ledger_retentions ON ledger (seq) WHERE op = 'retention';

-- The marks of blocks whose entries are gone go too, without looking through all of them.
CREATE INDEX ledger_blocks_by_block ON ledger_blocks (block);

PRAGMA user_version = 7;
