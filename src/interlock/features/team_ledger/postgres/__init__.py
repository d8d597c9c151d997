"""The database of a fleet: one Postgres, its schema and its statements in `.sql` files."""
