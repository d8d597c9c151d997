-- What a session left for the next one is given at each start until a later one has written something down.
ALTER TABLE sessions ADD COLUMN taken_up_at TEXT;

-- Until now it was given once.
UPDATE sessions SET taken_up_at = ended_at
WHERE dehydration_payload IS NOT NULL
    AND EXISTS (SELECT 1 FROM sessions AS later WHERE later.prev_session_id = sessions.id);

PRAGMA user_version = 17;
