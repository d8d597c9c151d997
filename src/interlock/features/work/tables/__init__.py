"""The rows of projects, tasks, efforts, sessions, agents and messages."""
