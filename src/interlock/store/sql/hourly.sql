-- What happened, counted by the hour when it is indexed, in the file of the search index: pages that show figures
-- read these and no entries. A bucket is one of `search/counts.py`; a file is that of a hook, without the line.

-- name: create_hours
CREATE TABLE IF NOT EXISTS hours (
    hour TEXT NOT NULL, decision TEXT NOT NULL, entries INTEGER NOT NULL, PRIMARY KEY (hour, decision)
) STRICT, WITHOUT ROWID;

-- name: create_hour_durations
CREATE TABLE IF NOT EXISTS hour_durations (
    hour TEXT NOT NULL, bucket INTEGER NOT NULL, entries INTEGER NOT NULL, PRIMARY KEY (hour, bucket)
) STRICT, WITHOUT ROWID;

-- name: create_hook_hours
CREATE TABLE IF NOT EXISTS hook_hours (
    hour TEXT NOT NULL, hook TEXT NOT NULL, file TEXT NOT NULL,
    calls INTEGER NOT NULL, asks INTEGER NOT NULL, denials INTEGER NOT NULL,
    failures INTEGER NOT NULL, open_passes INTEGER NOT NULL,
    PRIMARY KEY (hour, hook, file)
) STRICT, WITHOUT ROWID;

-- name: create_hook_days
-- The same by the day, for pages about many of them.
CREATE TABLE IF NOT EXISTS hook_days (
    day TEXT NOT NULL, hook TEXT NOT NULL, file TEXT NOT NULL,
    calls INTEGER NOT NULL, asks INTEGER NOT NULL, denials INTEGER NOT NULL,
    failures INTEGER NOT NULL, open_passes INTEGER NOT NULL,
    PRIMARY KEY (day, hook, file)
) STRICT, WITHOUT ROWID;

-- name: create_hook_durations
-- By the day: a quantile of an hour tells nobody anything.
CREATE TABLE IF NOT EXISTS hook_durations (
    day TEXT NOT NULL, hook TEXT NOT NULL, file TEXT NOT NULL, bucket INTEGER NOT NULL, calls INTEGER NOT NULL,
    PRIMARY KEY (day, hook, file, bucket)
) STRICT, WITHOUT ROWID;

-- name: create_denials
CREATE TABLE IF NOT EXISTS denials (
    day TEXT NOT NULL, hook TEXT NOT NULL, matcher TEXT NOT NULL, entries INTEGER NOT NULL, last INTEGER NOT NULL,
    PRIMARY KEY (day, hook, matcher)
) STRICT, WITHOUT ROWID;

-- name: create_seen_sessions
CREATE TABLE IF NOT EXISTS seen_sessions (
    session TEXT PRIMARY KEY, actor TEXT NOT NULL, workspace TEXT NOT NULL,
    first TEXT NOT NULL, last TEXT NOT NULL, newest INTEGER NOT NULL,
    entries INTEGER NOT NULL, calls INTEGER NOT NULL, asks INTEGER NOT NULL, denials INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- name: create_seen_sessions_by_newest
CREATE INDEX IF NOT EXISTS seen_sessions_by_newest ON seen_sessions (newest);

-- name: add_hour
INSERT INTO hours (hour, decision, entries) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET entries = entries + excluded.entries;

-- name: add_hour_duration
INSERT INTO hour_durations (hour, bucket, entries) VALUES (?, ?, ?)
ON CONFLICT DO UPDATE SET entries = entries + excluded.entries;

-- name: add_hook_hour
INSERT INTO hook_hours (hour, hook, file, calls, asks, denials, failures, open_passes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    calls = calls + excluded.calls,
    asks = asks + excluded.asks,
    denials = denials + excluded.denials,
    failures = failures + excluded.failures,
    open_passes = open_passes + excluded.open_passes;

-- name: add_hook_day
INSERT INTO hook_days (day, hook, file, calls, asks, denials, failures, open_passes)
VALUES (substr(?, 1, 10), ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    calls = calls + excluded.calls,
    asks = asks + excluded.asks,
    denials = denials + excluded.denials,
    failures = failures + excluded.failures,
    open_passes = open_passes + excluded.open_passes;

-- name: add_hook_duration
INSERT INTO hook_durations (day, hook, file, bucket, calls) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET calls = calls + excluded.calls;

-- name: add_denial
INSERT INTO denials (day, hook, matcher, entries, last) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET entries = entries + excluded.entries, last = excluded.last;

-- name: add_seen_session
INSERT INTO seen_sessions (session, actor, workspace, first, last, newest, entries, calls, asks, denials)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET
    first = min(first, excluded.first),
    last = max(last, excluded.last),
    newest = excluded.newest,
    entries = entries + excluded.entries,
    calls = calls + excluded.calls,
    asks = asks + excluded.asks,
    denials = denials + excluded.denials;

-- name: earliest
SELECT min(first) FROM times;

-- name: forget_hours
DELETE FROM hours WHERE hour < ?;

-- name: forget_hour_durations
DELETE FROM hour_durations WHERE hour < ?;

-- name: forget_hook_hours
DELETE FROM hook_hours WHERE hour < ?;

-- name: forget_hook_days
DELETE FROM hook_days WHERE day < substr(?, 1, 10);

-- name: forget_hook_durations
DELETE FROM hook_durations WHERE day < substr(?, 1, 10);

-- name: forget_denials
DELETE FROM denials WHERE day < substr(?, 1, 10);

-- name: forget_seen_sessions
DELETE FROM seen_sessions WHERE substr(last, 1, 13) < ?;
