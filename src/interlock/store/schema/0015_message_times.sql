-- What was said goes by its time: kept as long as the ledger keeps its entries.
CREATE INDEX messages_by_time ON messages (timestamp);

PRAGMA user_version = 15;
