"""Questions to people: requests, their answers, and grants."""
