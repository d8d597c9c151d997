-- Where the operations on commitments are among all entries: replaying them at the start of the daemon must not read
-- the whole ledger. The index holds only them, so appending anything else costs nothing more.
CREATE INDEX ledger_commitments ON ledger (seq)
WHERE op IN (
    'capture', 'commit', 'claim', 'release', 'close', 'annotate', 'link', 'dismiss', 'triage', 'submit',
    'approve', 'reopen', 'reject', 'publish', 'cancel', 'imported', 'carried'
);

PRAGMA user_version = 9;
