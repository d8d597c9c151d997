"""The namespace and the plain name of a tool."""

from __future__ import annotations

from typing import Final

from interlock.events.tool_table import STANDARD_TOOLS

HOST: Final = "host"  # the namespace of the tools a host brings itself
_MCP: Final = "mcp__"


def split_name(name: str) -> tuple[str, str]:
    """`mcp__gmail__send_email` is `send_email` of `gmail`; any other tool is the host's."""
    real = STANDARD_TOOLS.canonical(name)
    if not real.startswith(_MCP):
        return HOST, real
    server, _, tool = real.removeprefix(_MCP).partition("__")
    return (server, tool) if tool else (HOST, real)
