"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.policy.compile.compile import trial_engine

__all__ = [
    "trial_engine",
]
