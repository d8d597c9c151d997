"""For slow shims and launchers that were installed under this address."""

from interlock.cli.main import main

__all__ = ["main"]
