"""Efforts on tasks: phases, files, directives, and what one window hands over to the next."""
