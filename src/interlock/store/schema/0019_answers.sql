-- What a yes to a piece of work is about, and whether the agent has heard of a no.

ALTER TABLE approvals ADD COLUMN seen TEXT;  -- what the project held: when it was asked, then when it was answered
ALTER TABLE approvals ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1));
CREATE INDEX approvals_untold ON approvals (session_id) WHERE state = 'denied' AND told = 0;

PRAGMA user_version = 19;
