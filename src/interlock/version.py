"""The version, alone in its file so that asking for it costs nothing."""

__version__ = "0.2.0"
