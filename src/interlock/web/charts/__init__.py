"""Figures drawn on the server: SVG whose colours are classes of the style sheet."""
