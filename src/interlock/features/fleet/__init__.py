"""What people see of many agents, and what keeps one of them going."""
