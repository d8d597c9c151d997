"""Figures for other programs."""
