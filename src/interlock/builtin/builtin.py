"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.rule import Helper, OptionRule, SlowRule
from interlock.policy.hook_kind import Builtin

__all__ = [
    "Builtin",
    "Helper",
    "OptionRule",
    "SlowRule",
]
