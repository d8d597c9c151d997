"""The database of a team ledger: one Postgres, its schema and its statements in `.sql` files."""
