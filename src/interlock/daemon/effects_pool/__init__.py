"""Worker processes that analyze long calls."""
