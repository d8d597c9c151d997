"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.hook import CallView, Handler, Matcher, OnFailure, Pattern

Sight = CallView  # its name in plugins written before

__all__ = [
    "Handler",
    "Matcher",
    "OnFailure",
    "Pattern",
    "Sight",
]
