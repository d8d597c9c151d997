"""Commands that talk to the daemon."""
