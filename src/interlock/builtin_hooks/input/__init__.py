"""Hooks that check a call before it runs."""
