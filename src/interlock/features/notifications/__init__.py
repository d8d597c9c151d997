"""Telling people that something happened."""
