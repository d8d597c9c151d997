"""Policies that are shipped."""
