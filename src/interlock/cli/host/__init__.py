"""Commands that a host runs."""
