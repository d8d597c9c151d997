-- What a status line tells of one session; asked several times a minute, in a process of its own.

-- name: decisions
-- How calls were decided, by word.
SELECT l.decision, count(*)
FROM ledger_blocks AS b
CROSS JOIN ledger AS l ON l.seq BETWEEN b.block * 512 AND b.block * 512 + 511
WHERE b.kind = 'session'
    AND b.name = :session
    AND l.session_id = :session
    AND l.op = 'decision'
    AND l.event = 'PreToolUse'
GROUP BY l.decision;

-- name: waiting
-- Requests of the session that nobody has answered.
SELECT id FROM approvals
WHERE session_id = :session AND state = 'pending' AND expires_at > :now
ORDER BY id;

-- name: effort
-- What its main agent is at work on.
SELECT e.skill, e.current_phase, s.heartbeat_counter, s.context_usage
FROM sessions AS s
JOIN efforts AS e ON e.id = s.effort_id
WHERE s.host_session_id = :session AND s.agent_id IS NULL AND s.ended_at IS NULL
ORDER BY s.id DESC LIMIT 1;
