"""The plainest hooks: deny, ask, modify."""
