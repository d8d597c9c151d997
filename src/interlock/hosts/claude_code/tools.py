"""The tools of Claude Code: its names are the ones everybody uses."""

from __future__ import annotations

from interlock.events.tool_table import STANDARD_TOOLS

CLAUDE_CODE_TOOLS = STANDARD_TOOLS
