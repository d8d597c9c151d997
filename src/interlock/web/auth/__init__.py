"""Who may see the dashboard."""
