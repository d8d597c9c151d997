"""By which variables the programs an agent starts are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Agent → what it sets for every program it starts. The shim's `pause` knows the same names (shim/pause.h).
AGENT_MARKS: Final[dict[str, tuple[str, ...]]] = {
    "any": ("AI_AGENT",),
    "Claude Code": ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"),
    "Codex": ("CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"),
    "Cursor": ("CURSOR_AGENT",),
    "Gemini CLI": ("GEMINI_CLI",),
    "Qwen Code": ("QWEN_CODE",),
    "OpenCode": ("OPENCODE",),
    "Crush": ("CRUSH",),
    "Cline": ("CLINE_ACTIVE",),
    "Copilot": ("COPILOT_AGENT", "COPILOT_CLI"),
    "Factory": ("DROID_PROJECT_DIR", "FACTORY_PROJECT_DIR"),
    "hooks": ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CRUSH_PROJECT_DIR"),
}
MARKS: Final = tuple(mark for marks in AGENT_MARKS.values() for mark in marks)


def mark_in(environ: Mapping[str, str]) -> str | None:
    """The first variable that says an agent started this, or None."""
    return next((mark for mark in MARKS if environ.get(mark)), None)
