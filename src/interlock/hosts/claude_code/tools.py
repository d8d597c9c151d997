"""The tools of Claude Code: its names are the ones everybody uses."""

from __future__ import annotations

from interlock.standard_tools import STANDARD_TOOLS

CLAUDE_CODE_TOOLS = STANDARD_TOOLS
