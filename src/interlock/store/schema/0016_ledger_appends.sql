-- The condition of this index is asked of every entry that is appended. A list behind `IN` is made into a table of its
-- own for each of them, which takes longer than everything else about the append; comparisons are made as they stand,
-- and what nearly every entry is comes first.
DROP INDEX ledger_commitments;

CREATE INDEX ledger_commitments ON ledger (seq)
WHERE op <> 'decision'
    AND (
        op = 'capture' OR op = 'commit' OR op = 'claim' OR op = 'release' OR op = 'close' OR op = 'annotate'
        OR op = 'link' OR op = 'dismiss' OR op = 'triage' OR op = 'submit' OR op = 'approve' OR op = 'reopen'
        OR op = 'reject' OR op = 'publish' OR op = 'cancel' OR op = 'imported' OR op = 'carried'
    );

PRAGMA user_version = 16;
