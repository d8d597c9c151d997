"""Processes that read long commands."""
