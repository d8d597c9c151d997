-- What an approver is told beside the call, and where the policy that asked is found again.

ALTER TABLE approvals ADD COLUMN root    TEXT NOT NULL DEFAULT '';  -- the project whose policy asked
ALTER TABLE approvals ADD COLUMN project TEXT NOT NULL DEFAULT '';  -- the session's own, where the host tells it
ALTER TABLE approvals ADD COLUMN tool    TEXT;
ALTER TABLE approvals ADD COLUMN rule    TEXT;                      -- the hook that asked
CREATE INDEX approvals_by_call ON approvals (session_id, digest);

PRAGMA user_version = 8;
