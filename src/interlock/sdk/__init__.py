"""Hooks for agents written in Python."""
