-- Figures the dashboard shows, read from the counts in the file of the search index; no entry is read for them.
-- A slot is this many hours long and is named by its first one; days are cut at midnight UTC.

-- name: decisions
SELECT
    printf('%s%02d', substr(hour, 1, 11), CAST(substr(hour, 12, 2) AS INTEGER) / :hours * :hours) AS slot,
    decision, sum(entries)
FROM hours
WHERE hour >= :since
GROUP BY slot, decision;

-- name: durations
SELECT bucket, sum(entries) FROM hour_durations WHERE hour >= :since GROUP BY bucket;

-- name: denials
SELECT hook, matcher, sum(entries) AS entries, max(last)
FROM denials
WHERE day >= substr(:since, 1, 10)
GROUP BY hook, matcher
ORDER BY entries DESC, hook, matcher
LIMIT :limit;

-- name: hooks
SELECT
    hook, file,
    printf('%s%02d', substr(hour, 1, 11), CAST(substr(hour, 12, 2) AS INTEGER) / :hours * :hours) AS slot,
    sum(calls), sum(asks), sum(denials), sum(failures), sum(open_passes)
FROM hook_hours
WHERE hour >= :since
GROUP BY hook, file, slot;

-- name: hooks_by_day
SELECT hook, file, day || 'T00', calls, asks, denials, failures, open_passes
FROM hook_days
WHERE day >= substr(:since, 1, 10);

-- name: hook_durations
SELECT hook, file, bucket, sum(calls)
FROM hook_durations
WHERE day >= substr(:since, 1, 10)
GROUP BY hook, file, bucket;

-- name: sessions
SELECT session, actor, workspace, first, last, newest, entries, calls, asks, denials
FROM seen_sessions
WHERE newest < :before
ORDER BY newest DESC
LIMIT :limit;

-- name: session
SELECT session, actor, workspace, first, last, newest, entries, calls, asks, denials
FROM seen_sessions
WHERE session = :session;
