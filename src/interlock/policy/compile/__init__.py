"""Policy entries become hooks."""
