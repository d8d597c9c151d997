-- Every statement on the fleet's ledger; a page of rows comes newest first and goes on before a seq.

-- name: session
-- What holds for a connection whatever the role's or the database's own defaults are.
SELECT
    set_config('statement_timeout', '120s', FALSE),
    set_config('default_transaction_isolation', 'read committed', FALSE),
    set_config('timezone', 'UTC', FALSE);

-- name: encoding
SELECT getdatabaseencoding();

-- name: steps_table
SELECT to_regclass('interlock.schema_steps') IS NOT NULL;

-- name: version
SELECT coalesce(max(number), 0) FROM interlock.schema_steps;

-- name: lock_schema
-- Two people who set up at once come one after the other.
SELECT pg_advisory_xact_lock(5208931707);

-- name: add_step
INSERT INTO interlock.schema_steps (number, name) VALUES (%(number)s, %(name)s);

-- name: let_ship
SELECT interlock.let_ship(%(role)s);

-- name: let_read
SELECT interlock.let_read(%(role)s);

-- name: head
SELECT ledger, seq, hash FROM interlock.ledger_head;

-- name: standing
SELECT seq, hash, fleet_seq FROM interlock.machines WHERE machine = %(machine)s AND ledger = %(ledger)s;

-- name: machines
SELECT machine, ledger, seq, hash, role, entries, missing, first_received, last_received, fleet_seq
FROM interlock.machines
ORDER BY machine, first_received;

-- name: ship
SELECT o_seq, o_hash, o_fleet_seq, o_fleet_hash, o_added
FROM interlock.ship(
    %(machine)s, %(ledger)s, %(seq)s::BIGINT[], %(id)s::TEXT[], %(op)s::TEXT[], %(ts)s::TEXT[], %(actor)s::TEXT[],
    %(workspace)s::TEXT[], %(session_id)s::TEXT[], %(event)s::TEXT[], %(tool)s::TEXT[], %(decision)s::TEXT[],
    %(record)s::BYTEA[], %(hash)s::BYTEA[], %(missing)s::BIGINT[]
);

-- name: all
SELECT
    seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash,
    machine, machine_ledger, machine_seq, machine_hash, missing, received
FROM interlock.ledger
ORDER BY seq;

-- name: at
SELECT
    seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash,
    machine, machine_ledger, machine_seq, machine_hash, missing, received
FROM interlock.ledger
WHERE seq = %(seq)s;

-- name: machine_hash
SELECT machine_hash FROM interlock.ledger
WHERE machine = %(machine)s AND machine_ledger = %(ledger)s AND machine_seq = %(seq)s;

-- name: after
SELECT
    seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash,
    machine, machine_ledger, machine_seq, machine_hash, missing, received
FROM interlock.ledger
WHERE seq > %(seq)s
ORDER BY seq
LIMIT %(limit)s;

-- name: list
SELECT
    seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash,
    machine, machine_ledger, machine_seq, machine_hash, missing, received
FROM interlock.ledger
WHERE seq < %(before)s
    AND (%(machine)s::TEXT IS NULL OR machine = %(machine)s)
    AND (%(session)s::TEXT IS NULL OR (left(session_id, 200) = left(%(session)s, 200) AND session_id = %(session)s))
    AND (%(actor)s::TEXT IS NULL OR (left(actor, 200) = left(%(actor)s, 200) AND actor = %(actor)s))
    AND (%(tool)s::TEXT IS NULL OR tool = %(tool)s)
    AND (%(decision)s::TEXT IS NULL OR decision = %(decision)s)
    AND (%(op)s::TEXT IS NULL OR op = %(op)s)
    AND (%(since)s::TEXT IS NULL OR ts >= %(since)s)
    AND (%(until)s::TEXT IS NULL OR ts < %(until)s)
ORDER BY seq DESC
LIMIT %(limit)s;

-- name: as_one_moment
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;
