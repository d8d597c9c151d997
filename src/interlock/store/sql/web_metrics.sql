-- Totals for `/metrics`, over all that is counted in the file of the search index.

-- name: decisions
SELECT decision, sum(entries) FROM hours GROUP BY decision ORDER BY decision;

-- name: hooks
SELECT hook, file, sum(calls), sum(asks), sum(denials), sum(failures), sum(open_passes)
FROM hook_days
GROUP BY hook, file
ORDER BY hook, file;

-- name: durations
SELECT bucket, sum(entries) FROM hour_durations GROUP BY bucket ORDER BY bucket;
