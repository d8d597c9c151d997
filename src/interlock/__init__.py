"""Interlock, the hooks engine for coding agents."""
