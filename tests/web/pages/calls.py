"""Bodies of decisions as the daemon writes them."""

from __future__ import annotations

from typing import Any


def hook(name: str, vote: str = "abstain", **members: Any) -> dict[str, Any]:
    """What one hook did."""
    row = {"hook": name, "type": "deny", "matcher": "Bash(git push *)", "source": "/etc/p.key:7"}
    outcome = "blocking" if vote == "deny" else "success"
    return {**row, "vote": vote, "outcome": outcome, "duration_ms": 0.25, **members}


def before(command: str, decision: str = "allow", **members: Any) -> dict[str, Any]:
    """A shell call that is about to be made."""
    return {
        "event": "PreToolUse",
        "tool": "Bash",
        "tool_use_id": "toolu_1",
        "tool_input": {"command": command},
        "decision": decision,
        "duration_ms": 1.5,
        "cwd": "/w/app",
        "host": "claude_code",
        "revision": "r1",
        **members,
    }


def after(**members: Any) -> dict[str, Any]:
    """The same call when it has ended."""
    return {
        **before("-", **members),
        "event": "PostToolUse",
        "tool_output": {"stdout": "done\n"},
        "extra": {"duration_ms": 40},
        **members,
    }
