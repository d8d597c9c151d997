"""Every agent Interlock serves, by name."""

from __future__ import annotations

from typing import Final

from interlock.hosts.claude_code.host import ClaudeCode
from interlock.hosts.host import Host

HOSTS: Final[dict[str, Host]] = {
    "claude-code": ClaudeCode(),
}
