"""For plugins written before `interlock.plugin`: the same names under their older address."""

from interlock.events.tool import ToolCall

__all__ = [
    "ToolCall",
]
