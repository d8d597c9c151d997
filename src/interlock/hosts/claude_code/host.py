"""Claude Code as a host: the parts of this package behind one face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, final

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.hosts.check import Check
from interlock.hosts.claude_code.capabilities import budget_of
from interlock.hosts.claude_code.read import HOST, attended, client_version, read_event
from interlock.hosts.claude_code.self_test import self_test
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.claude_code.write import write_refusal, write_reply
from interlock.hosts.host import Reply


@final
class ClaudeCode:
    """The client this protocol comes from; 2.1.197 and later."""

    name: Final = HOST
    tools: Final = CLAUDE_CODE_TOOLS
    most_rounds: Final = 7  # it overrides the ninth block of a turn; one is left for hooks that are not ours

    def read(self, payload: bytes, env: Mapping[str, str]) -> Event:
        """Read what the host sent; raise PayloadError when it is no event."""
        return read_event(payload, env)

    def write(self, event: Event, decision: Decision) -> Reply:
        """Say the decision in the host's words."""
        return write_reply(event, decision)

    def refuse(self, event_name: str, reason: str, *, closed: bool | None = None) -> Reply:
        """Answer when nothing could be decided or recorded."""
        return write_refusal(event_name, reason, closed=closed)

    def attended(self, event: Event) -> bool:
        """Whether a person can answer the host's own prompt."""
        return attended(event)

    def budget(self, event_name: str, waits: float | None = None) -> float:
        """The seconds all hooks of an event have together, before the host gives up on us."""
        return budget_of(event_name, waits)

    def version(self, event: Event) -> str | None:
        """The client's version, where it tells."""
        return client_version(event)

    def self_test(self, command: Sequence[str], cwd: Path, *, seconds: float) -> Check:
        """Prove that a known bad call is denied through the program the client runs."""
        return self_test(command, cwd, seconds=seconds)
