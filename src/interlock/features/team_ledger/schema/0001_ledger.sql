-- The ledger of a fleet. Its columns are those of a machine's own ledger, with a numbering and a chain of its own over
-- all machines; beside them stand which machine an entry is of, its place and hash there, and when it arrived.
-- `payload` is the record: JSON bytes that hold the machine's own record as it was written there, byte for byte, so
-- that both chains are verified from what is stored here and nothing is ever written again as JSON.
CREATE SCHEMA IF NOT EXISTS interlock;

CREATE TABLE interlock.schema_steps (
    number  INTEGER PRIMARY KEY,
    name    TEXT NOT NULL,
    applied TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE interlock.ledger (
    seq            BIGINT PRIMARY KEY CHECK (seq >= 1),
    id             TEXT COLLATE "C" NOT NULL,  -- not unique: what two machines import has one name on both
    op             TEXT COLLATE "C" NOT NULL,
    ts             TEXT COLLATE "C" NOT NULL,  -- by the machine's clock; the order is seq, since clocks differ
    actor          TEXT COLLATE "C" NOT NULL,
    workspace      TEXT COLLATE "C" NOT NULL,
    session_id     TEXT COLLATE "C",
    event          TEXT COLLATE "C",
    tool           TEXT COLLATE "C",
    decision       TEXT COLLATE "C",
    payload        BYTEA NOT NULL,
    prev_hash      BYTEA NOT NULL CHECK (length(prev_hash) = 32),
    hash           BYTEA NOT NULL CHECK (length(hash) = 32),
    machine        TEXT COLLATE "C" NOT NULL CHECK (machine ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    machine_ledger TEXT COLLATE "C" NOT NULL CHECK (machine_ledger ~ '^[0-9a-f]{32}$'),
    machine_seq    BIGINT NOT NULL CHECK (machine_seq >= 1),
    machine_hash   BYTEA NOT NULL CHECK (length(machine_hash) = 32),
    missing        BIGINT NOT NULL DEFAULT 0 CHECK (missing >= 0),  -- entries of the machine this one stands for
    received       TEXT COLLATE "C" NOT NULL,                       -- by this server's clock, in the form of `ts`
    UNIQUE (machine, machine_ledger, machine_seq)
);

-- Only the beginning of a name: a longer one would not fit into an index, and its entry must be taken all the same.
CREATE INDEX ledger_by_session ON interlock.ledger (left(session_id, 200), seq) WHERE session_id IS NOT NULL;
CREATE INDEX ledger_by_actor ON interlock.ledger (left(actor, 200), seq);
CREATE INDEX ledger_by_machine ON interlock.ledger (machine, seq);
-- What is looked for most is rare: an index of the rest would only be written to.
CREATE INDEX ledger_by_decision ON interlock.ledger (decision, seq) WHERE decision IN ('ask', 'deny');
CREATE INDEX ledger_by_op ON interlock.ledger (op, seq) WHERE op <> 'decision';

-- The end of the chain, and its name. Whoever adds locks this row: that is the one order of all machines.
CREATE TABLE interlock.ledger_head (
    one    BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
    ledger TEXT NOT NULL,
    seq    BIGINT NOT NULL DEFAULT 0,
    hash   BYTEA NOT NULL DEFAULT decode(repeat('00', 32), 'hex')
);
INSERT INTO interlock.ledger_head (ledger) VALUES (replace(gen_random_uuid()::TEXT, '-', ''));

-- How far each machine has come. A machine whose database was rebuilt begins another row.
CREATE TABLE interlock.machines (
    machine        TEXT COLLATE "C" NOT NULL,
    ledger         TEXT COLLATE "C" NOT NULL,
    seq            BIGINT NOT NULL,
    hash           BYTEA NOT NULL,
    role           TEXT NOT NULL,            -- who may ship under this name: whoever did so first
    entries        BIGINT NOT NULL DEFAULT 0,
    missing        BIGINT NOT NULL DEFAULT 0,
    first_received TEXT NOT NULL,
    last_received  TEXT NOT NULL,
    fleet_seq      BIGINT NOT NULL,          -- its last entry here
    PRIMARY KEY (machine, ledger)
);

-- A guard against accidents; an owner can take it away, and then the chain tells.
CREATE FUNCTION interlock.refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'entries of the fleet ledger are never changed or removed' USING ERRCODE = 'IL005';
END $$;
CREATE TRIGGER ledger_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON interlock.ledger
    FOR EACH STATEMENT EXECUTE FUNCTION interlock.refuse_change();
