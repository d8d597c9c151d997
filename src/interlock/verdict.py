"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote, allow, ask, deny

__all__ = [
    "NO_OPINION",
    "Evidence",
    "Verdict",
    "Vote",
    "allow",
    "ask",
    "deny",
]
