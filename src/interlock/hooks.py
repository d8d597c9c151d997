"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.hook import Handler, Matcher, OnFailure, Pattern, Sight

__all__ = [
    "Handler",
    "Matcher",
    "OnFailure",
    "Pattern",
    "Sight",
]
