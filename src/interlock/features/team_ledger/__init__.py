"""The team ledger: entries of several machines in one Postgres, in one order, each exactly once."""
