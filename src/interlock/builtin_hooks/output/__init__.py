"""Hooks that change or mark what tools return."""
