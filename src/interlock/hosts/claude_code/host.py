"""Claude Code as a host: the parts of this package behind one face."""

from __future__ import annotations

from typing import Final, final

from interlock.hosts.claude_code.capabilities import budget_of
from interlock.hosts.claude_code.guarded_start import PROGRAM, find_client
from interlock.hosts.claude_code.read import HOST, attended, client_version, read_event
from interlock.hosts.claude_code.self_test import self_test
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.hosts.claude_code.write import write_refusal, write_reply


@final
class ClaudeCode:
    """The client this protocol comes from; 2.1.197 and later."""

    name: Final = HOST
    title: Final = "Claude Code"
    program: Final = PROGRAM
    tools: Final = CLAUDE_CODE_TOOLS
    most_rounds: Final = 7  # it overrides the ninth block of a turn; one is left for hooks that are not ours

    read = staticmethod(read_event)
    write = staticmethod(write_reply)
    refuse = staticmethod(write_refusal)
    attended = staticmethod(attended)
    budget = staticmethod(budget_of)
    version = staticmethod(client_version)
    find = staticmethod(find_client)
    self_test = staticmethod(self_test)
