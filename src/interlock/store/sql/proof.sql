-- What is said of the chain as a whole: where it begins, and what was signed.

-- name: base
SELECT ledger, seq, hash, entry, signature FROM ledger_base;

-- name: move_base
UPDATE ledger_base SET seq = :seq, hash = :hash, entry = :entry, signature = :signature;

-- name: checkpoints
SELECT seq, payload FROM ledger WHERE op = 'checkpoint' ORDER BY seq;

-- name: last_checkpoint
SELECT seq, payload FROM ledger WHERE op = 'checkpoint' ORDER BY seq DESC LIMIT 1;

-- name: last_retention
SELECT seq, payload FROM ledger WHERE op = 'retention' ORDER BY seq DESC LIMIT 1;

-- name: young
-- The first entry of a stretch that is not older than a time.
SELECT min(seq) FROM ledger WHERE seq > :after AND seq <= :upto AND ts >= :ts;

-- name: sizes
SELECT seq, length(payload) FROM ledger WHERE seq > :after AND seq <= :upto ORDER BY seq LIMIT :most;

-- name: remove
DELETE FROM ledger WHERE seq <= ?;

-- name: remove_blocks
-- Of blocks whose every entry is gone.
DELETE FROM ledger_blocks WHERE block < (? + 1) / 512;

-- name: selected
-- Everything that fits, in order, for a file.
SELECT seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash
FROM ledger
WHERE seq <= :upto
    AND (:session IS NULL OR session_id = :session)
    AND (:actor IS NULL OR actor = :actor)
    AND (:tool IS NULL OR tool = :tool)
    AND (:decision IS NULL OR decision = :decision)
    AND (:since IS NULL OR ts >= :since)
    AND (:until IS NULL OR ts < :until)
ORDER BY seq;
