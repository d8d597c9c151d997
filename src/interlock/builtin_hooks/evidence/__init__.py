"""Hooks that record what was done."""
