"""Hooks that look at the work before a turn ends."""
