"""Paths: every spelling a deny must see, and the one place where each really leads."""
