"""The skills a session may use."""
