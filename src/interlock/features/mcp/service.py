"""The tools of `interlock mcp`, answered in the daemon."""

from __future__ import annotations

from typing import Final

from interlock.daemon.extension import DaemonContext
from interlock.daemon.jsonrpc import Methods


class McpService:
    """What answers is imported with the first request."""

    def __init__(self, context: DaemonContext) -> None:
        self._context: Final = context

    def methods(self) -> Methods:
        """One method for all tools."""
        from interlock.features.mcp.rpc import AgentTools

        return AgentTools(self._context).methods
