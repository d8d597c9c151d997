"""The corpora of everyday and of hostile calls: one row of JSON per line, each with its reason."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote

FOLDER: Final = Path(__file__).parent / "corpora"
HOME: Final = "/home/dev"

Expected = Literal["pass", "ask", "deny", "stopped"]
_MEANT: Final[dict[Expected, frozenset[Vote]]] = {
    "pass": frozenset({Vote.ABSTAIN, Vote.ALLOW}),
    "ask": frozenset({Vote.ASK}),
    "deny": frozenset({Vote.DENY}),
    "stopped": frozenset({Vote.ASK, Vote.DENY}),
}


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call and what the pack must say of it."""

    group: str  # the kind of work or harm
    expect: Expected
    why: str  # why it is harmless, or what it would do
    run: str | None = None  # a shell command; else a tool with its input
    tool: str = "Bash"
    input: dict[str, Any] = {}

    @property
    def shown(self) -> str:
        """The call in one line."""
        text = self.run if self.run is not None else f"{self.tool} {msgspec.json.encode(self.input).decode()}"
        return " ".join(text.split())[:100]

    def event(self, project: str) -> Event:
        """The call as a host would report it."""
        fields = self.input if self.run is None else {"command": self.run}
        call = ToolCall(name=self.tool, input=fields)
        return Event(name="PreToolUse", cwd=project, project=project, tool=call)

    def meets(self, vote: Vote) -> bool:
        """Whether a vote is what is expected."""
        return vote in _MEANT[self.expect]


@cache
def corpus(name: str) -> tuple[Row, ...]:
    """All rows of a corpus."""
    lines = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Row) for line in lines)


def is_stopped(vote: Vote) -> bool:
    """Whether a person or nobody decides, not the agent."""
    return vote >= Vote.ASK
