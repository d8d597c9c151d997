"""Secrets in texts that must not be recorded: each is replaced by a mark, the same for equal secrets."""
