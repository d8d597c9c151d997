"""The records of protected paths under their earlier address."""

from interlock.policy.protected_paths import Guarded

__all__ = ["Guarded"]
