"""Hooks that keep a loop going or bring it to an end."""
