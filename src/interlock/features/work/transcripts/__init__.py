"""What a host writes down of a session."""
