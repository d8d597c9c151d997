"""A report of what a session did."""
