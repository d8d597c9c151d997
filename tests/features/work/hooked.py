"""The handlers over a real store, asked through either of their doors."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from tests.features.work.place_of_work import begun, window

from interlock.engine.pipeline import Pipeline
from interlock.events.event import Event
from interlock.events.verdict import Verdict
from interlock.features.work.dispatch import WorkHooks
from interlock.features.work.event_context import HandlerServices
from interlock.features.work.records import Effort, Session
from interlock.features.work.settings import WorkRules
from interlock.features.work.store import AgentNotice, WorkStore
from interlock.hosts.claude_code.read import read_event
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
UUID = "00000000-0000-4000-8000-000000000001"  # the session of every recorded payload
LOOK = Pipeline((), "", CLAUDE_CODE_TOOLS).view
TABLES = ("projects", "tasks", "efforts", "sessions", "agents", "messages", "skills", "phase_history")

# What each method needs beside the common fields, as a host would send it.
OWN: Mapping[str, Mapping[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "SessionEnd": {"reason": "other"},
    "PreCompact": {"trigger": "auto", "custom_instructions": None},
    "PreToolUse": {"tool_name": "Read", "tool_input": {"pattern": "x"}, "tool_use_id": "toolu_1"},
    "PostToolUse": {"tool_name": "Grep", "tool_input": {"pattern": "x"}, "tool_use_id": "toolu_1"},
    "PostToolUseFailure": {
        "tool_name": "Bash",
        "tool_input": {"command": "false"},
        "tool_use_id": "toolu_1",
        "error": "Exit code 1",
    },
    "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    "UserPromptSubmit": {"prompt": "go on"},
    "Notification": {"message": "needs you", "notification_type": "permission_prompt"},
    "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "TeammateIdle": {"teammate_name": "ann", "team_name": "blue"},
    "TaskCompleted": {"task_id": "1", "task_subject": "Rig task"},
    "SubagentStart": {"agent_id": "a1", "agent_type": "Explore"},
    "SubagentStop": {
        "agent_id": "a1",
        "agent_type": "Explore",
        "stop_hook_active": False,
        "agent_transcript_path": "",
        "last_assistant_message": "found it",
    },
    "ConfigChange": {"source": "skills"},
}


@dataclass(kw_only=True)
class Hooked:
    """A project, the handlers, and what they told people."""

    work: WorkStore
    folder: Path
    rules: WorkRules = field(default_factory=WorkRules)
    told: list[AgentNotice] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    can_end: bool = True
    program: str | None = None  # where our command line is installed

    def __post_init__(self) -> None:
        services = HandlerServices(
            work=self.work,
            announce=self.told.append,
            end_host=self._end_host,
            redact=lambda text: text,
            is_program=lambda path: os.path.normpath(path) == self.program,
        )
        self.hooks = WorkHooks(services, lambda _cwd, _project: self.rules, LOOK)

    def _end_host(self, session: str) -> bool:
        self.ended.append(session)
        return self.can_end

    def begun(self, name: str = UUID, skill: str = "implement", **more: Any) -> tuple[Effort, Session]:
        """An effort that a session is at work on."""
        effort = begun(self.work, self.folder, skill, **more)
        self.work.agents.register(name, effort_id=effort.id, host_session_id=name)
        return effort, window(self.work, name, effort)

    def given(self, event: str, **fields: Any) -> dict[str, Any]:
        """The input of an event as a host sends it; any field may be said otherwise."""
        common = {
            "session_id": UUID,
            "transcript_path": "",
            "cwd": str(self.folder),
            "permission_mode": "default",
            "hook_event_name": event,
        }
        return {**common, **OWN[event], **fields}

    def ask(self, event: str, *, agent: str | None = None, **fields: Any) -> dict[str, Any]:
        """What the method of an event answers, on the wire."""
        env = {"AGENT_ID": agent} if agent else {}
        found: dict[str, Any] = msgspec.json.decode(
            msgspec.json.encode(self.hooks.ask(event, self.given(event, **fields), env))
        )
        return found

    def tell(self, event: str, *, env: Mapping[str, str] | None = None, **fields: Any) -> Verdict:
        """What the hook says at an event."""
        return self.seen(read_event(json.dumps(self.given(event, **fields)).encode(), env or {}))

    def seen(self, event: Event) -> Verdict:
        """The same for an event that is there already."""
        return self.hooks.handle(LOOK(event))

    def calls(self, count: int, *, first: int = 0, **fields: Any) -> list[dict[str, Any]]:
        """So many tool calls, one after the other."""
        return [self.ask("PreToolUse", tool_use_id=f"toolu_{first + n}", **fields) for n in range(count)]

    def session(self, number: int) -> Session:
        """A row as it stands."""
        return self.work.sessions.get(number)

    def effort(self, number: int = 1) -> Effort:
        """A row as it stands."""
        return self.work.efforts.get(number)

    def status(self, agent: str = UUID) -> str | None:
        """How an agent is."""
        row = self.work.agents.get(agent)
        return row.status if row else None

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table."""
        connection = self.work.sessions._connection
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}

    def changed(self, before: Mapping[str, list[tuple[Any, ...]]]) -> set[str]:
        """The tables in which something is not as it was."""
        return {name for name, rows in self.rows().items() if rows != before[name]}

    def said(self, session: int) -> list[tuple[str, Any]]:
        """The messages of a session: role and, where it is JSON, the document."""
        found = self.work.messages.of_session(session, 100)
        return [(one.role, _document(one.content)) for one in found]


def _document(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def recorded(name: str, **fields: Any) -> dict[str, Any]:
    """A payload as the real client sent it, with some fields said otherwise."""
    found: dict[str, Any] = json.loads((FIXTURES / f"{name}.json").read_text())
    return {**found, **fields}
