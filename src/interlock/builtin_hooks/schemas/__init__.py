"""Hooks that check the fields of a call."""
