-- The phases efforts went through.

-- name: add
INSERT INTO phase_history (effort_id, phase_label, proof, reason, created_at)
VALUES (:effort_id, :label, :proof, :reason, :now)
RETURNING *;

-- name: of_effort
SELECT * FROM phase_history WHERE effort_id = :effort_id ORDER BY id;
