"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.policy.hook_kind import BuildContext as Making

__all__ = [
    "Making",
]
