-- The one way in. A machine's role may call this and can change nothing else, so that whoever takes over a machine
-- can add to the fleet's ledger and not rewrite it. What arrives twice is taken once, what does not follow is refused.
--
-- IL001 another entry stands at that place   IL002 entries before it are missing
-- IL003 the name belongs to another role     IL004 hash and record do not fit
CREATE FUNCTION interlock.ship(
    p_machine TEXT, p_ledger TEXT, p_seqs BIGINT[], p_ids TEXT[], p_ops TEXT[], p_times TEXT[], p_actors TEXT[],
    p_workspaces TEXT[], p_sessions TEXT[], p_events TEXT[], p_tools TEXT[], p_decisions TEXT[], p_records BYTEA[],
    p_hashes BYTEA[], p_missing BIGINT[]
) RETURNS TABLE (o_seq BIGINT, o_hash BYTEA, o_fleet_seq BIGINT, o_fleet_hash BYTEA, o_added BIGINT)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, interlock, pg_temp SET lock_timeout = '20s' AS $$
DECLARE
    head     interlock.ledger_head%ROWTYPE;
    at       interlock.machines%ROWTYPE;
    owner    TEXT;
    one      RECORD;
    prior    BYTEA := decode(repeat('00', 32), 'hex');
    body     BYTEA;
    stood    BYTEA;
    now_text TEXT;
    added    BIGINT := 0;
    lost     BIGINT := 0;
BEGIN
    SELECT * INTO STRICT head FROM interlock.ledger_head FOR UPDATE;
    -- Behind the lock: a place and the time of its arrival come in one order, as far as the clock allows.
    now_text := to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
    SELECT m.role INTO owner FROM interlock.machines AS m WHERE m.machine = p_machine LIMIT 1;
    IF owner IS NOT NULL AND owner <> session_user THEN
        RAISE EXCEPTION 'the machine % belongs to the role %', p_machine, owner USING ERRCODE = 'IL003';
    END IF;
    SELECT * INTO at FROM interlock.machines AS m WHERE m.machine = p_machine AND m.ledger = p_ledger;
    IF NOT FOUND THEN
        at.seq := 0;
        at.hash := prior;
    END IF;

    FOR one IN
        SELECT * FROM unnest(
            p_seqs, p_ids, p_ops, p_times, p_actors, p_workspaces, p_sessions, p_events, p_tools, p_decisions,
            p_records, p_hashes, p_missing
        ) WITH ORDINALITY AS t (
            seq, id, op, ts, actor, workspace, session_id, event, tool, decision, record, hash, missing, place
        ) ORDER BY place
    LOOP
        IF one.seq <= at.seq THEN
            -- Sent before, by somebody who was not told that it had arrived.
            SELECT l.machine_hash INTO stood FROM interlock.ledger AS l
            WHERE l.machine = p_machine AND l.machine_ledger = p_ledger AND l.machine_seq = one.seq;
            IF FOUND AND stood <> one.hash THEN
                RAISE EXCEPTION 'entry % of % is another one here', one.seq, p_machine USING ERRCODE = 'IL001';
            END IF;
            CONTINUE;
        END IF;
        IF one.seq <> at.seq + greatest(one.missing, 1) THEN
            RAISE EXCEPTION 'entry % of % does not follow %', one.seq, p_machine, at.seq USING ERRCODE = 'IL002';
        END IF;
        IF one.missing = 0 AND sha256(at.hash || one.record) <> one.hash THEN
            RAISE EXCEPTION 'entry % of % does not fit its hash', one.seq, p_machine USING ERRCODE = 'IL004';
        END IF;
        prior := head.hash;
        head.seq := head.seq + 1;
        body := convert_to(
            format(
                '{"ledger":"%s","machine":"%s","machine_hash":"%s","machine_seq":%s,"missing":%s,"received":"%s","record":',
                p_ledger, p_machine, encode(one.hash, 'hex'), one.seq, one.missing, now_text
            ), 'UTF8'
        ) || one.record || convert_to(format(',"seq":%s}', head.seq), 'UTF8');
        head.hash := sha256(prior || body);
        INSERT INTO interlock.ledger (
            seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash,
            machine, machine_ledger, machine_seq, machine_hash, missing, received
        ) VALUES (
            head.seq, one.id, one.op, one.ts, one.actor, one.workspace, one.session_id, one.event, one.tool,
            one.decision, body, prior, head.hash, p_machine, p_ledger, one.seq, one.hash, one.missing, now_text
        );
        at.seq := one.seq;
        at.hash := one.hash;
        added := added + 1;
        lost := lost + one.missing;
    END LOOP;

    IF added > 0 THEN
        UPDATE interlock.ledger_head SET seq = head.seq, hash = head.hash;
        INSERT INTO interlock.machines AS m
            (machine, ledger, seq, hash, role, entries, missing, first_received, last_received, fleet_seq)
        VALUES (
            p_machine, p_ledger, at.seq, at.hash, session_user, added, lost, now_text, now_text, head.seq
        )
        ON CONFLICT (machine, ledger) DO UPDATE SET
            seq = excluded.seq,
            hash = excluded.hash,
            entries = m.entries + excluded.entries,
            missing = m.missing + excluded.missing,
            last_received = excluded.last_received,
            fleet_seq = excluded.fleet_seq;
    END IF;
    RETURN QUERY SELECT at.seq, at.hash, head.seq, head.hash, added;
END $$;
REVOKE ALL ON FUNCTION interlock.ship FROM PUBLIC;

-- What a machine's role needs, and no more: it cannot read what other machines did.
CREATE FUNCTION interlock.let_ship(p_role TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA interlock TO %I', p_role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION interlock.ship TO %I', p_role);
    EXECUTE format('GRANT SELECT ON interlock.machines, interlock.ledger_head, interlock.schema_steps TO %I', p_role);
END $$;
REVOKE ALL ON FUNCTION interlock.let_ship FROM PUBLIC;

-- What whoever looks needs: everything, to read.
CREATE FUNCTION interlock.let_read(p_role TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA interlock TO %I', p_role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA interlock TO %I', p_role);
END $$;
REVOKE ALL ON FUNCTION interlock.let_read FROM PUBLIC;
