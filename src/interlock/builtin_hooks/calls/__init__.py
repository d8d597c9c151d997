"""Hooks that look at one call, before it runs or after it."""
