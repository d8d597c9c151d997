"""Conditions of hooks, in CEL."""
