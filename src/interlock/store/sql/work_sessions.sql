-- Sessions: one context window each. `agent_id` is a sub-agent's; a main session has none.

-- name: start
INSERT INTO sessions
    (host, host_session_id, agent_id, task_id, effort_id, prev_session_id, pid, discovered_directives,
     discovered_directories, transcript_path, transcript_offset, created_at)
VALUES
    (:host, :host_session_id, :agent_id, :task_id, :effort_id, :prev_session_id, :pid, :directives, :directories,
     :transcript_path, :transcript_offset, :now)
RETURNING *;

-- name: end_window
-- A window that is told again is over as what it was before.
UPDATE sessions SET ended_at = :now, end_reason = coalesce(end_reason, 'replaced')
WHERE host_session_id = :host_session_id AND agent_id IS :agent_id AND ended_at IS NULL;

-- name: end_main_of
UPDATE sessions SET ended_at = :now, end_reason = coalesce(end_reason, 'replaced')
WHERE effort_id = :effort_id AND agent_id IS NULL AND ended_at IS NULL;

-- name: last_main_of
SELECT * FROM sessions WHERE effort_id = :effort_id AND agent_id IS NULL ORDER BY id DESC LIMIT 1;

-- name: last_of_window
SELECT * FROM sessions WHERE host_session_id = :host_session_id AND agent_id IS :agent_id ORDER BY id DESC LIMIT 1;

-- name: open_of
SELECT * FROM sessions
WHERE host_session_id = :host_session_id AND agent_id IS :agent_id AND ended_at IS NULL
ORDER BY id DESC LIMIT 1;

-- name: open_main_of
SELECT * FROM sessions WHERE effort_id = :effort_id AND agent_id IS NULL AND ended_at IS NULL ORDER BY id DESC LIMIT 1;

-- name: get
SELECT * FROM sessions WHERE id = :id;

-- name: attach
UPDATE sessions
SET effort_id = :effort_id, task_id = :task_id, prev_session_id = coalesce(prev_session_id, :prev_session_id),
    heartbeat_counter = 0
WHERE id = :id AND ended_at IS NULL
RETURNING *;

-- name: end
UPDATE sessions SET ended_at = :now, end_reason = :reason WHERE id = :id AND ended_at IS NULL;

-- name: end_all
-- A window goes with the sub-agents in it.
UPDATE sessions SET ended_at = :now, end_reason = :reason
WHERE host_session_id = :host_session_id AND ended_at IS NULL;

-- name: beat
UPDATE sessions
SET heartbeat_counter = heartbeat_counter + 1, last_heartbeat = :now,
    recent_calls = CASE
        WHEN :use_id IS NULL THEN recent_calls
        WHEN json_array_length(recent_calls) >= :most
            THEN json_insert(json_remove(recent_calls, '$[0]'), '$[#]', :use_id)
        ELSE json_insert(recent_calls, '$[#]', :use_id)
    END
WHERE id = :id
  AND (:use_id IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(recent_calls) WHERE value = :use_id));

-- name: beats
SELECT heartbeat_counter FROM sessions WHERE id = :id;

-- name: reset_effort
UPDATE sessions SET heartbeat_counter = 0, last_heartbeat = :now WHERE effort_id = :effort_id AND ended_at IS NULL;

-- name: set_usage
UPDATE sessions SET context_usage = :usage WHERE id = :id;

-- name: set_offset
UPDATE sessions SET transcript_offset = :offset WHERE id = :id;

-- name: set_transcript
UPDATE sessions SET transcript_path = :path, transcript_offset = :offset WHERE id = :id;

-- name: set_loaded
UPDATE sessions SET loaded_files = :files WHERE id = :id;

-- name: set_preloaded
UPDATE sessions SET preloaded_files = :files WHERE id = :id;

-- name: set_pending
UPDATE sessions SET pending_injections = :pending WHERE id = :id;

-- name: set_directives
UPDATE sessions SET discovered_directives = :directives, discovered_directories = :directories WHERE id = :id;

-- name: dehydrate
UPDATE sessions SET dehydration_payload = :payload WHERE id = :id;

-- name: take_up
-- The effort goes on in an open session, so what earlier ones left for it is done.
UPDATE sessions SET taken_up_at = :now
WHERE effort_id = :effort_id AND dehydration_payload IS NOT NULL AND taken_up_at IS NULL
  AND EXISTS (SELECT 1 FROM sessions AS o WHERE o.effort_id = :effort_id AND o.ended_at IS NULL);

-- name: handover
SELECT * FROM sessions
WHERE effort_id = :effort_id AND dehydration_payload IS NOT NULL AND taken_up_at IS NULL
ORDER BY id DESC LIMIT 1;

-- name: set_restart
UPDATE sessions SET restart_prompt = :prompt WHERE id = :id;

-- name: listed
SELECT * FROM sessions WHERE :open = 0 OR ended_at IS NULL ORDER BY id DESC LIMIT :most;

-- name: listed_of_effort
SELECT * FROM sessions WHERE effort_id = :effort_id AND (:open = 0 OR ended_at IS NULL) ORDER BY id DESC LIMIT :most;

-- name: listed_of_project
SELECT * FROM sessions
WHERE task_id IN (SELECT id FROM tasks WHERE project_id = :project_id) AND (:open = 0 OR ended_at IS NULL)
ORDER BY id DESC LIMIT :most;

-- name: named
-- By what the host calls it, or the beginning of that.
SELECT * FROM sessions
WHERE host_session_id >= :prefix AND host_session_id < :beyond
ORDER BY id DESC LIMIT :most;
