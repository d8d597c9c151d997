"""Test cases for policies."""
