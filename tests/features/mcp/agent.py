"""An agent at work in a project: what it reports and which of our tools it calls."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.daemon.home import SHIM, Home

from interlock.daemon.client import request

HOST = Path(__file__).with_name("host.py")
SESSION = "s-mcp"


@dataclass(kw_only=True)
class Agent:
    """One host process with our server below it."""

    home: Home
    project: Path
    process: subprocess.Popen[str]
    tools: list[dict[str, Any]] = field(default_factory=list)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    @classmethod
    def start(cls, home: Home, project: Path, *, reports: bool = True, mode: str = "auto") -> Agent:
        """Start the host; one that does not report is unknown to the daemon."""
        process = subprocess.Popen(
            [sys.executable, HOST, SHIM, home.folder, project, mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        agent = cls(home=home, project=project, process=process)
        agent.tools = agent._read()
        if reports:
            agent.report(hook_event_name="SessionStart", source="startup")
        return agent

    def _read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the host has ended"
        return json.loads(line)

    def _say(self, *words: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return self._read()

    def report(self, **fields: Any) -> str:
        """Report an event; what Interlock says comes back."""
        said: str = self._say("report", {"session_id": SESSION, **fields})
        return said

    def bare(self, tool: str, use_id: str | None = None, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool without a report of the call."""
        found: dict[str, Any] = self._say("call", tool, arguments, use_id)
        return found

    def call(self, tool: str, /, *, subagent: str | None = None, **arguments: Any) -> dict[str, Any]:
        """Call a tool as Claude Code does: reported first, under an id that the server is told too."""
        use_id = f"toolu_{next(self.numbers)}"
        who = {"agent_id": "a1", "agent_type": subagent} if subagent else {}
        said = self.report(
            hook_event_name="PreToolUse",
            tool_name=f"mcp__interlock__{tool}",
            tool_input=arguments,
            tool_use_id=use_id,
            **who,
        )
        if said and json.loads(said)["hookSpecificOutput"].get("permissionDecision") == "deny":
            return {"failed": True, "text": said, "document": None}
        return self.bare(tool, use_id, **arguments)

    def done(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must succeed; give its document."""
        found = self.call(tool, **arguments)
        assert not found["failed"], found["text"]
        document: dict[str, Any] = found["document"]
        assert json.loads(found["text"]) == document
        return document

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that must be refused; give the code, which the model reads too."""
        found = self.call(tool, **arguments)
        assert found["failed"], found
        code: str = found["document"]["error"]
        assert found["text"].startswith(f"{code}: ")
        assert found["text"].endswith(f"; {found['document']['next']}")
        return code

    def bash(self, command: str) -> str:
        """Report a shell command about to run."""
        use_id = f"toolu_{next(self.numbers)}"
        return self.report(
            hook_event_name="PreToolUse",
            tool_name="Bash",
            tool_input={"command": command},
            tool_use_id=use_id,
        )

    def commitment(self, *tags: str, **more: Any) -> str:
        """A commitment this agent has claimed."""
        memory = self.done("capture", body="seen", **more)["id"]
        name: str = self.done("commit", body="fix it", source=memory, tags=list(tags), **more)["id"]
        self.done("claim", commitment=name, **more)
        return name

    def end(self) -> None:
        """Close the client, and with it the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=90)
        if self.process.stdout is not None:
            self.process.stdout.close()


def person(home: Home, method: str, **params: Any) -> dict[str, Any]:
    """What a person asks the daemon for; this process is nobody's agent."""
    found: dict[str, Any] = request(home.places.socket, method, params, seconds=20)
    return found
