"""A long afternoon: recorded payloads of the real client through two context windows, every row looked at."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home
from tests.features.work.hooked import FIXTURES, UUID

from interlock.daemon.client import request

pytestmark = pytest.mark.deep

AGENT = "a0000000000000001"  # the sub-agent of the recorded payloads
POLICY = 'version: "2.0"\nsettings: {packs: [work]}\n'
PAIRS = ("Read", "Edit", "Write", "Skill", "TaskCreate", "TaskUpdate", "mcp__rig__echo")


@dataclass(kw_only=True)
class Client:
    """The real client, as far as its hooks go: it sends what was recorded, in a project of this machine."""

    home: Home
    project: Path
    transcript: Path
    use: int = 0

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        """One recorded payload; what the host is told."""
        text = (FIXTURES / f"{name}.json").read_text().replace('"/project', f'"{self.project}')
        payload = {**json.loads(text), "transcript_path": str(self.transcript), **fields}
        reply = self.home.call(json.dumps(payload).encode())
        assert (reply.exit_code, reply.stderr) == (0, b"")
        told: dict[str, Any] = json.loads(reply.stdout) if reply.stdout else {}
        return dict(told.get("hookSpecificOutput", told))

    def call(self, tool: str, **fields: Any) -> dict[str, Any]:
        """A call and its good end; what is told before it, and after it under `after`."""
        self.use += 1
        before = self.send(f"PreToolUse-{tool}", tool_use_id=f"toolu_{self.use}", **fields)
        if before.get("permissionDecision") == "deny":
            return before
        after = self.send(f"PostToolUse-{tool}", tool_use_id=f"toolu_{self.use}", **fields)
        return {**before, "after": after}

    def say(self, kind: str, text: str, tokens: int = 0) -> None:
        """The client writes its transcript."""
        message: dict[str, Any] = {"role": kind, "content": [{"type": "text", "text": text}]}
        if tokens:
            message |= {"model": "claude-sonnet-4-5", "usage": {"input_tokens": tokens}}
        self.write({"type": kind, "message": message})

    def write(self, line: dict[str, Any]) -> None:
        """One line of it."""
        with self.transcript.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def ask(self, method: str, **params: Any) -> Any:
        """What a person types, for this session."""
        given = {"cwd": str(self.project), "session": UUID, **params}
        return request(self.home.places.socket, method, given)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """A table as it is on disk, lists and mappings read."""
        self.home.status()
        with closing(sqlite3.connect(f"file:{self.home.places.database}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [
                {name: _read(row[name]) for name in row.keys()}  # noqa: SIM118 - a row has no items
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY rowid")
            ]

    def row(self, table: str, number: int = 1) -> dict[str, Any]:
        """One of them."""
        return self.rows(table)[number - 1]


def _read(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in {"[", "{"} else value


@pytest.fixture
def client(place: Home, tmp_path: Path) -> Client:
    """A client in a repository, served by a daemon with the pack."""
    place.write_policy(POLICY)
    place.start()
    project = tmp_path / "app"
    for folder in (".git", "deeper", "docs/task"):
        (project / folder).mkdir(parents=True)
    (project / "AGENTS.md").write_text("Measure twice.\n")
    return Client(home=place, project=project, transcript=tmp_path / f"{UUID}.jsonl")


def first_window(client: Client) -> None:
    """From the start to an automatic compaction."""
    assert client.send("SessionStart-startup") == {}, "nothing is known yet, so nothing is said"
    effort = client.ask("work.effort.start", task="docs/task", skill="implement")["effort"]
    assert (effort["id"], effort["ordinal"]) == (1, 1)
    client.say("user", "Please run the scripted task.")
    line = client.send("UserPromptSubmit")["additionalContext"]
    assert "Session: 1 | Skill: implement | Phase: none | Heartbeat: 0/10" in line
    assert client.row("agents")["status"] == "working"

    found = client.call("Read")["after"]["additionalContext"]
    assert found.startswith("[Directive: directives]\n")
    assert str(client.project / "AGENTS.md") in found
    reading = {"tool_input": {"file_path": str(client.project / "AGENTS.md")}}
    assert client.call("Read", **reading) == {"after": {}}
    for tool in PAIRS[1:]:
        assert client.call(tool) == {"after": {}}
    assert client.row("sessions")["heartbeat_counter"] == 8

    fail(client)
    held = client.call("Bash")
    assert held["permissionDecision"] == "deny"
    assert "heartbeat-block: 10/10" in held["permissionDecisionReason"]
    logged = client.ask("work.log", text="## Parser\nThe lexer works.")
    assert logged["path"] == str(client.project / "docs" / "task" / "1_IMPLEMENT_LOG.md")
    assert client.row("sessions")["heartbeat_counter"] == 0
    client.ask("work.effort.phase", label="1: Build")
    wait_for_a_person(client)
    use_a_sub_agent(client)
    client.send("TaskCompleted")
    client.send("ConfigChange-local_settings")
    client.say("assistant", "first done", tokens=90_000)
    client.send("Stop")
    assert client.row("agents")["status"] == "done"
    assert client.row("sessions")["ended_at"] is None


def fail(client: Client) -> None:
    """A call that fails."""
    assert client.send("PreToolUse-Bash-failing", tool_use_id="toolu_bad") == {}
    client.send("PostToolUseFailure-Bash-failing", tool_use_id="toolu_bad")
    assert client.row("agents")["status"] == "error"


def wait_for_a_person(client: Client) -> None:
    """The host asks, and the person answers."""
    client.send("PermissionRequest-Bash")
    assert client.row("agents")["status"] == "attention"
    client.call("Bash")
    assert client.row("agents")["status"] == "working"
    notice = {"message": "Claude needs your permission to use Bash", "notification_type": "permission_prompt"}
    client.send(
        "Stop", hook_event_name="Notification", **notice
    )  # none could be recorded: by its description
    assert client.row("agents")["status"] == "attention"


def use_a_sub_agent(client: Client) -> None:
    """It has a window of its own on the same effort."""
    assert client.send("PreToolUse-Agent") == {}
    context = client.send("SubagentStart")["additionalContext"]
    assert "effort e1 (`implement`, phase `1: Build`)" in context
    assert client.row("sessions", 2)["agent_id"] == AGENT
    client.send("PreToolUse-subagent-Bash")
    client.send("PostToolUse-subagent-Bash")
    inside = {"agent_id": AGENT, "agent_type": "general-purpose"}
    client.call("Read", **inside, tool_input={"file_path": str(client.project / "deeper" / "x.py")})
    assert client.send("SubagentStop") == {}
    client.send("PostToolUse-Agent")
    assert client.row("sessions")["ended_at"] is None


def compaction(client: Client) -> None:
    """The window fills up and is compacted before anybody dehydrated."""
    client.send("UserPromptSubmit")
    client.say("assistant", "working on", tokens=186_000)
    warned = client.call("Bash")
    assert "The context window is 93% full" in warned["additionalContext"]
    assert client.send("PreCompact-manual") == {}
    assert client.row("sessions")["ended_at"] is None
    assert client.send("PreCompact-auto") == {}
    assert client.send("PostCompact-auto") == {}
    client.write({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"})
    ended = client.row("sessions")
    assert (ended["end_reason"], ended["context_usage"]) == ("compaction", 0.93)
    assert ended["restart_prompt"].startswith("Continue effort e1 (`implement`, phase `1: Build`)")


def second_window(client: Client) -> None:
    """It goes on where the first one ended, and leaves something for a third."""
    context = client.send("SessionStart-compact")["additionalContext"]
    assert "Session: 3 | Skill: implement | Phase: 1: Build | Heartbeat: 0/10" in context
    assert "[Files to preload]:" in context
    assert "Measure twice." in context
    assert "## Session Recovery (from the effort's files)" in context
    assert "The lexer works." in context
    assert client.call("Bash") == {"after": {}}
    client.send("Stop")
    client.send("UserPromptSubmit")
    payload = {
        "summary": "Half a parser.",
        "lastAction": "Ran the tests.",
        "nextSteps": ["Write the rest"],
        "requiredFiles": [],
    }
    client.ask("work.session.dehydrate", payload=payload)
    client.send("SessionEnd-other")


def third_window(client: Client) -> None:
    """The next session of the host finds what the second left, and ends like any other."""
    context = client.send("SessionStart-resume")["additionalContext"]
    assert "## Session Recovery (Dehydrated Context)" in context
    assert "Half a parser." in context
    client.send("SessionEnd-other")


@pytest.mark.req("E37", "E38", "E39", "E40", "E41")
def test_an_afternoon_of_the_real_client(client: Client) -> None:
    """Two windows with a compaction between, a sub-agent, a failure and a notification; then every row."""
    first_window(client)
    compaction(client)
    second_window(client)
    third_window(client)

    check_sessions(client)
    check_work(client)
    check_messages(client)
    check_ledger(client)


def check_sessions(client: Client) -> None:
    """Four windows: the first, its sub-agent's, the second, the third; none is open, each points back."""
    first, sub, second, third = client.rows("sessions")
    common = {
        (row["host"], row["host_session_id"], row["task_id"], row["effort_id"])
        for row in client.rows("sessions")
    }
    assert common == {("claude-code", UUID, 1, 1)}
    assert [row["agent_id"] for row in (first, sub, second, third)] == [None, AGENT, None, None]
    assert [row["prev_session_id"] for row in (first, sub, second, third)] == [None, None, 1, 3]
    assert [row["end_reason"] for row in (first, sub, second, third)] == [
        "compaction",
        "subagent_stop",
        "dehydrated",
        "other",
    ]
    assert all(row["ended_at"] for row in (first, sub, second, third))
    assert [row["heartbeat_counter"] for row in (first, sub, second, third)] == [3, 2, 1, 0]
    assert first["loaded_files"] == [str(client.project / "a.txt"), str(client.project / "AGENTS.md")]
    assert first["discovered_directives"] == [str(client.project / "AGENTS.md")]
    assert sub["loaded_files"] == [str(client.project / "deeper" / "x.py")]
    assert second["preloaded_files"] == [str(client.project / "AGENTS.md")]
    assert (first["dehydration_payload"], second["dehydration_payload"]["summary"]) == (
        None,
        "Half a parser.",
    )
    assert second["restart_prompt"].endswith("Next: Write the rest")
    assert third["context_usage"] is None
    size = client.transcript.stat().st_size
    assert 0 < first["transcript_offset"] < second["transcript_offset"] == size


def check_work(client: Client) -> None:
    """One project, one task, one effort, one agent, one phase."""
    (project,), (task,), (effort,) = client.rows("projects"), client.rows("tasks"), client.rows("efforts")
    assert project["path"] == str(client.project)
    assert task["dir_path"] == str(client.project / "docs" / "task")
    assert (effort["skill"], effort["lifecycle"], effort["current_phase"]) == (
        "implement",
        "active",
        "1: Build",
    )
    (done,) = effort["metadata"]["completedTasks"]
    assert (done["taskId"], done["taskSubject"]) == ("1", "Rig task")
    assert effort["metadata"]["loadedFiles"] == [str(client.project / "deeper" / "x.py")]
    assert effort["discovered_directives"] == [str(client.project / "AGENTS.md")]
    (agent,) = client.rows("agents")
    assert (agent["id"], agent["label"], agent["status"]) == (UUID, "app", "done")
    assert (agent["effort_id"], agent["host_session_id"]) == (1, UUID)
    (phase,) = client.rows("phase_history")
    assert (phase["effort_id"], phase["phase_label"]) == (1, "1: Build")
    assert client.rows("skills") == []


def check_messages(client: Client) -> None:
    """What was said in the transcript, in order and once, and what happened."""
    said = [(row["session_id"], row["role"], row["content"]) for row in client.rows("messages")]
    spoken = [(session, text) for session, role, text in said if role != "system"]
    assert spoken == [
        (1, "Please run the scripted task."),
        (1, "first done"),
        (1, "working on"),
    ]
    happened = [(session, text) for session, role, text in said if role == "system"]
    assert happened.pop() == (3, "Conversation compacted")
    assert [(session, one["event"]) for session, one in happened] == [
        (1, "tool_use_failure"),
        (1, "task_completed"),
    ]
    assert happened[0][1]["error"] == "Exit code 3\noops"


def check_ledger(client: Client) -> None:
    """Every event is an entry, every deed of a person too, and the chain holds."""
    assert client.home.broken() is None
    deeds = [entry.body["deed"] for entry in client.home.entries("work")]
    assert deeds == ["effort.start", "log", "effort.phase", "session.dehydrate"]
    assert not [entry for entry in client.home.entries("decision") if entry.body.get("open_passes")]
