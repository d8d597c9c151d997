"""The database: one schema in `.sql` files, opened safely, brought up to date in numbered steps."""
