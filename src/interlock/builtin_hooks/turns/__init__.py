"""Hooks that look at a turn: how it goes on, and what it leaves when it ends."""
