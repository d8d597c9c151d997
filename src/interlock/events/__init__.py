"""The words all others use: events, tools, verdicts, decisions."""
