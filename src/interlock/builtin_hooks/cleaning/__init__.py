"""Deleting what a build makes again is fine; deleting work is not."""
