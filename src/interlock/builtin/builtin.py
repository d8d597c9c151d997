"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.builtin_hooks.kind import Builtin, Helper, OptionRule, SlowRule

__all__ = [
    "Builtin",
    "Helper",
    "OptionRule",
    "SlowRule",
]
