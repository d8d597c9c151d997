"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.event import Event

__all__ = [
    "Event",
]
