"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.policy.compile.trial_engine import trial_engine

__all__ = [
    "trial_engine",
]
