"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.names import EventName

__all__ = [
    "EventName",
]
