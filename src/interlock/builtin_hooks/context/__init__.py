"""Hooks that give the agent something to know."""
