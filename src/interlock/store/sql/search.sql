-- The search index, in a file of its own beside the database: made from the ledger, thrown away at will.
-- A part holds the entries of 131,072 seqs, so that those retention removed go with it as a whole; `{part}` is its
-- number, the one thing here that no parameter can stand for. No text is kept: what is found is read in the ledger.

-- name: create_filled
CREATE TABLE IF NOT EXISTS filled (upto INTEGER NOT NULL, hash BLOB) STRICT;

-- name: begin_filled
INSERT INTO filled (upto, hash) SELECT 0, NULL WHERE NOT EXISTS (SELECT 1 FROM filled);

-- name: create_parts
CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY) STRICT;

-- name: create_times
-- The times of a block of 512 seqs: clocks jump, so the order of the entries says nothing certain about them.
CREATE TABLE IF NOT EXISTS times (block INTEGER PRIMARY KEY, first TEXT NOT NULL, last TEXT NOT NULL) STRICT;

-- name: create_part
CREATE VIRTUAL TABLE part_{part} USING fts5 (
    facts, text, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 2'
);

-- name: drop_part
DROP TABLE part_{part};

-- name: add_part
INSERT INTO parts (number) VALUES (?);

-- name: remove_part
DELETE FROM parts WHERE number = ?;

-- name: parts
SELECT number FROM parts ORDER BY number DESC;

-- name: filled
SELECT upto, hash FROM filled;

-- name: set_filled
UPDATE filled SET upto = ?, hash = ?;

-- name: insert
INSERT INTO part_{part} (rowid, facts, text) VALUES (?, ?, ?);

-- name: find
SELECT rowid FROM part_{part}
WHERE part_{part} MATCH :match AND rowid BETWEEN :low AND :high
ORDER BY rowid DESC;

-- name: add_times
INSERT INTO times (block, first, last) VALUES (?, ?, ?)
ON CONFLICT (block) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last);

-- name: remove_times
DELETE FROM times WHERE block < ?;

-- name: clear_times
DELETE FROM times;

-- name: blocks_between
SELECT min(block), max(block) FROM times WHERE last >= ? AND first < ?;
