"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.builtin_hooks.build_context import Making

__all__ = [
    "Making",
]
