-- What the session was at work on when it asked: an answer may come after that has ended.
ALTER TABLE approvals ADD COLUMN commitment TEXT;

PRAGMA user_version = 18;
