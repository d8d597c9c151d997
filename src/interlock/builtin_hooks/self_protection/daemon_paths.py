"""The paths of a daemon under their earlier address."""

from interlock.daemon.protected_paths import guarded_of

__all__ = ["guarded_of"]
