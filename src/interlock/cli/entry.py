"""The old address of `main`, which installed slow shims and launchers import."""

from interlock.cli.main import main

__all__ = ["main"]
