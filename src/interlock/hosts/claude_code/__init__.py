"""Claude Code: its events, its tools, its replies."""
