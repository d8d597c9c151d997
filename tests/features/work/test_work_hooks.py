"""The handlers of the work in a real daemon: as hooks of the pack, and as methods on the socket."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event, wait_for
from tests.features.work.hooked import OWN
from tests.features.work.test_work_hook import Book

from interlock.daemon.caller_kind import FILE, Roster, namespaces, write_roster
from interlock.daemon.client import DaemonError, request
from interlock.daemon.process_tree import process
from interlock.engine.rules_only import RulesOnlyEngine, not_run
from interlock.engine.session_memory import OnceInMemory
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.features.work.hook import WorkHook
from interlock.features.work.rpc import METHODS
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.patterns.matcher import parse_matcher

pytestmark = pytest.mark.deep

POLICY = 'version: "2.0"\nsettings: {packs: [work]}\n'
COMMON = {"session_id": "s", "transcript_path": "", "permission_mode": "default"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a task in it."""
    (tmp_path / "app" / ".git").mkdir(parents=True)
    return tmp_path / "app"


@pytest.fixture
def working(served: Home) -> Home:
    """A daemon with the pack."""
    served.write_policy(POLICY)
    return served


def rpc(home: Home, method: str, **params: Any) -> Any:
    """Ask the daemon."""
    return request(home.places.socket, method, params)


def asked(home: Home, method: str, project: Path, **fields: Any) -> Any:
    """Ask for a handler with all that its event brings."""
    name = METHODS[method]
    return rpc(
        home, method, **{**COMMON, "cwd": str(project), "hook_event_name": name, **OWN[name], **fields}
    )


def start(home: Home, project: Path, session: str = "s") -> int:
    """An effort that a session is at work on."""
    home.call(event("SessionStart", source="startup", cwd=str(project), session_id=session))
    found = rpc(home, "work.effort.start", cwd=str(project), task="task", skill="implement", session=session)
    return int(found["effort"]["id"])


def ls(home: Home, project: Path, number: int, **fields: Any) -> tuple[str | None, str]:
    """A call."""
    return decided(home.call(bash("ls", cwd=str(project), tool_use_id=f"toolu_{number}", **fields)))


def rows(home: Home, table: str) -> list[dict[str, Any]]:
    """A table as it is on disk, after whatever was answered before it was recorded."""
    home.status()
    with closing(sqlite3.connect(f"file:{home.places.database}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


@pytest.mark.req("E22")
def test_without_the_pack_nothing_is_counted(served: Home, project: Path) -> None:
    """The heartbeat is for those who want it."""
    asked(served, "hooks.sessionStart", project)
    rpc(served, "work.effort.start", cwd=str(project), task="task", skill="implement", session="s")
    assert [ls(served, project, n)[0] for n in range(12)] == [None] * 12
    assert [row["heartbeat_counter"] for row in rows(served, "sessions")] == [0]


@pytest.mark.req("E22", "E39")
def test_the_tenth_call_of_a_session_with_an_effort_is_denied(working: Home, project: Path) -> None:
    """And a log entry frees it; a session at work on nothing is never held."""
    start(working, project)
    assert [ls(working, project, n)[0] for n in range(11)] == [None] * 9 + ["deny"] * 2
    vote, reason = ls(working, project, 12)
    assert (vote, reason.startswith("Tool denied: heartbeat-block: 12/10")) == ("deny", True)
    logging = bash('interlock effort log "## Parser"', cwd=str(project), tool_use_id="l")
    assert decided(working.call(logging)) == (None, "")
    assert ls(working, project, 13)[0] == "deny", "a call that would log is not an entry yet"
    rpc(working, "work.log", cwd=str(project), text="## Parser", session="s")
    assert ls(working, project, 14) == (None, "")
    assert [ls(working, project, n, session_id="other")[0] for n in range(12)] == [None] * 12


def test_the_count_outlives_the_daemon(working: Home, project: Path) -> None:
    """Killed without a word, and started anew by the next call."""
    start(working, project)
    for n in range(8):
        ls(working, project, n)
    working.end()
    working.start()
    assert ls(working, project, 8) == (None, "")
    assert ls(working, project, 8)[0] is None, "a call that is told again counts once"
    assert ls(working, project, 9)[0] == "deny"


def test_a_count_is_kept_also_beside_hooks_that_take_their_time(working: Home, project: Path) -> None:
    """The decision comes turns of the loop later; what else is committed meanwhile undoes nothing."""
    slow = f"{sys.executable} -c 'import time; time.sleep(0.1)'"
    hooks = f"hooks: {{pre_tool_use: [{{type: command, config: {{command: {json.dumps(slow)}}}}}]}}\n"
    working.write_policy(POLICY + hooks)
    start(working, project)
    payloads = [bash("ls", cwd=str(project), tool_use_id=f"t{n}") for n in range(4)]
    for payload in payloads:
        working.call(payload)
        working.call(event("Notification", message="x", notification_type="auth_success", cwd=str(project)))
    assert [row["heartbeat_counter"] for row in rows(working, "sessions")] == [4]


@pytest.mark.req("E1")
@pytest.mark.parametrize("method", list(METHODS))
def test_every_handler_is_a_method_and_each_call_an_entry(working: Home, project: Path, method: str) -> None:
    """One round trip; the answer of the daemon is that of the handler."""
    effort = start(working, project)
    before = len(working.entries("work"))
    answer = asked(working, method, project)
    assert isinstance(answer, dict)
    if "effortId" in answer:
        assert answer["effortId"] == effort
    (entry,) = working.entries("work")[before:]
    assert (entry.body["deed"], entry.body["session_id"]) == (method, "s")
    assert working.broken() is None


@pytest.mark.req("E32")
def test_a_coordinator_of_the_policy_hears_of_an_idle_teammate(served: Home, project: Path) -> None:
    """Through the shim, after its next call; neither needs an effort."""
    served.write_policy('version: "2.0"\nsettings: {packs: [work], agents: {lead: {manages: [api]}}}\n')
    for name in ("lead", "api"):
        start = event("SessionStart", source="startup", cwd=str(project), session_id=f"s-{name}")
        served.shim(start, AGENT_ID=name)
    ls(served, project, 1, session_id="s-lead")
    idle = event("TeammateIdle", teammate_name="api", team_name="t", cwd=str(project), session_id="s-api")
    served.shim(idle, AGENT_ID="api")
    done = event(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "ls"},
        tool_response="",
        tool_use_id="toolu_2",
        cwd=str(project),
        session_id="s-lead",
    )
    told = json.loads(served.shim(done, AGENT_ID="lead").stdout)["hookSpecificOutput"]["additionalContext"]

    assert told == "[Directive: teammate-idle]\n`api` of the team `t` is idle: give it work."
    assert {row["id"]: json.loads(row["manages"]) for row in rows(served, "agents")} == {
        "lead": ["api"],
        "api": [],
    }


@pytest.mark.req("X26")
def test_the_methods_are_the_fifteen_and_the_start_of_a_fleet(working: Home) -> None:
    """A prompt has the name of the document and that of the event."""
    names = {name.removeprefix("hooks.") for name in METHODS}
    assert names == {
        "sessionStart",
        "sessionEnd",
        "preCompact",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "stop",
        "userPrompt",
        "userPromptSubmit",
        "notification",
        "permissionRequest",
        "teammateIdle",
        "taskCompleted",
        "subagentStart",
        "subagentStop",
        "configChange",
    }
    with pytest.raises(DaemonError, match="VALIDATION_ERROR"):
        rpc(working, "hooks.fleetStart")


@pytest.mark.req("E1", "E39")
def test_the_shim_asks_once_and_does_as_it_is_told(working: Home, project: Path) -> None:
    """The real one: a word to the daemon for each event, and what comes back is what the host reads."""
    start(working, project)
    working.shim(event("SessionStart", source="startup", cwd=str(project)))
    before = rpc(working, "status")["events"]
    calls = [bash("ls", cwd=str(project), tool_use_id=f"toolu_{n}") for n in range(10)]
    said = [working.shim(call).stdout for call in calls]
    prompt = working.shim(event("UserPromptSubmit", prompt="on", cwd=str(project))).stdout
    assert said[:9] == [b""] * 9
    held = json.loads(said[9])["hookSpecificOutput"]
    assert (held["permissionDecision"], "heartbeat-block" in held["permissionDecisionReason"]) == (
        "deny",
        True,
    )
    assert "Heartbeat: 10/10" in json.loads(prompt)["hookSpecificOutput"]["additionalContext"]
    assert rpc(working, "status")["events"] == before + 11


@pytest.mark.req("E15", "E72")
def test_a_wrong_input_is_refused_with_a_code_and_changes_nothing(working: Home, project: Path) -> None:
    """`VALIDATION_ERROR`, one sentence, and the next step."""
    start(working, project)
    before = {table: rows(working, table) for table in ("sessions", "agents", "messages", "efforts")}
    for fields, said in (
        ({"tool_input": "ls"}, "the field `tool_input` is a string and not an object"),
        ({"session_id": 7}, "the field `session_id` is of type `int` and not a string"),
        ({"hook_event_name": "Stop"}, "`hook_event_name` is `Stop` and not `PreToolUse`"),
        ({"env": {"AGENT_ID": 3}}, "`env` is not an object of strings"),
        ({"sessionId": "s"}, "`session_id` is there twice, also as `sessionId`"),
    ):
        with pytest.raises(DaemonError) as caught:
            asked(working, "hooks.preToolUse", project, **fields)
        assert caught.value.data is not None
        assert caught.value.data["error"] == "VALIDATION_ERROR"
        assert said in str(caught.value)
    assert {table: rows(working, table) for table in before} == before
    with pytest.raises(DaemonError, match=r"no method `hooks\.unknown`"):
        rpc(working, "hooks.unknown")


@pytest.mark.req("E17")
def test_the_environment_of_a_request_names_its_agent(working: Home, project: Path) -> None:
    """`AGENT_ID` per request, also as the shim sends it along with an event."""
    first = start(working, project, "u-1")
    asked(working, "hooks.sessionStart", project, session_id="u-1", env={"AGENT_ID": "ann"})
    named = rpc(
        working,
        "work.effort.start",
        cwd=str(project),
        task="other",
        skill="fix",
        session="u-1",
        agent="ann",
    )["effort"]["id"]
    found = asked(working, "hooks.sessionStart", project, session_id="u-2", env={"AGENT_ID": "ann"})
    assert found["effortId"] == named != first
    working.call(event("SessionStart", source="startup", cwd=str(project), session_id="u-3"), AGENT_ID="ann")
    # An observed event is answered before it is on disk.
    wait_for(lambda: rows(working, "sessions")[-1]["host_session_id"] == "u-3", "its session is stored")
    assert rows(working, "sessions")[-1]["effort_id"] == named


def test_an_agents_process_may_report_its_own_session_only(working: Home, project: Path) -> None:
    """The kernel says whose process asks; another session's state is none of its business."""
    code = (
        "import sys, json\n"
        "from pathlib import Path\n"
        "from interlock.daemon.client import DaemonError, request\n"
        "out = []\n"
        "for line in sys.stdin:\n"
        "    try: print(json.dumps(request(Path(sys.argv[1]), 'hooks.stop', json.loads(line))), flush=True)\n"
        "    except DaemonError as error: print(json.dumps(str(error)), flush=True)\n"
    )
    program = [sys.executable, "-c", code, str(working.places.socket)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        agents = {child.pid: (_started(child.pid), "mine")}
        working.end()
        write_roster(working.places.state / FILE, Roster(known=agents, namespaces=namespaces()))
        working.start()
        assert child.stdin is not None
        assert child.stdout is not None
        answers = []
        for session in ("theirs", "mine"):
            given = {**COMMON, "cwd": str(project), "hook_event_name": "Stop", **OWN["Stop"]}
            child.stdin.write(json.dumps({**given, "session_id": session}) + "\n")
            child.stdin.flush()
            answers.append(json.loads(child.stdout.readline()))
        child.stdin.close()
    assert "NOT_YOURS" in answers[0]
    assert answers[1] == {"agentUpdated": False, "exhaustion": None}


def _started(pid: int) -> str:
    wait_for(lambda: process(pid) is not None, "the process is there")
    found = process(pid)
    assert found is not None
    return found.started


@pytest.mark.req("E77")
def test_skills_are_read_at_the_start_of_a_fleet(working: Home, project: Path) -> None:
    """One file that does not parse is told, the others count."""
    for name, text in (("good", "name: good\nphases: ['0: A']"), ("bad", "phases: [[[")):
        folder = project / ".claude" / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\n{text}\n---\n")
    answer = rpc(working, "hooks.fleetStart", cwd=str(project))
    assert "good" in answer["skills"]
    (error,) = [one for one in answer["errors"] if str(project) in one["path"]]
    assert error["path"].endswith("bad/SKILL.md")
    assert "good" in [row["name"] for row in rows(working, "skills")]
    with pytest.raises(DaemonError, match="the field `cwd` is missing"):
        rpc(working, "hooks.fleetStart")


def test_settings_reach_the_handlers_and_follow_the_file(working: Home, project: Path) -> None:
    """Without a restart, also for a session that is at work on nothing."""
    ls(working, project, 0)
    assert ls(working, project, 1)[0] is None
    working.write_policy(
        'version: "2.0"\nsettings: {packs: [work], work: {session_gate: deny, block_after: 2}}\n'
    )
    vote, reason = ls(working, project, 2)
    assert (vote, "session-gate" in reason) == ("deny", True)
    start(working, project)
    assert [ls(working, project, n)[0] for n in (3, 4)] == [None, "deny"]


def test_what_was_said_is_kept_without_secrets(working: Home, project: Path, tmp_path: Path) -> None:
    """Messages are read by people and agents."""
    start(working, project)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    transcript = tmp_path / "t.jsonl"
    line = {"type": "user", "message": {"role": "user", "content": f"use {secret} for it"}}
    transcript.write_text(json.dumps(line) + "\n")
    working.call(event("Stop", stop_hook_active=False, cwd=str(project), transcript_path=str(transcript)))
    (message,) = rows(working, "messages")
    assert secret not in message["content"]
    assert message["content"].startswith("use ")


@pytest.mark.req("E50", "E72")
def test_a_log_entry_of_a_skill_call_is_written_once_its_change_is_lasting(
    working: Home, project: Path
) -> None:
    """The file follows the commit."""
    start(working, project)
    given: dict[str, Any] = {
        "tool_name": "Skill",
        "tool_input": {"skill": "effort", "args": "log ## Parser\nworks"},
    }
    reply = working.call(event(cwd=str(project), tool_use_id="t1", **given))
    assert "[Effort] Logged in" in json.loads(reply.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "] Parser\nworks\n" in (project / "task" / "1_IMPLEMENT_LOG.md").read_text()


async def test_a_call_that_nobody_makes_is_not_counted() -> None:
    """Asking beforehand what would be decided leaves no mark."""
    book: Any = Book()
    hook = Hook(
        name="heartbeat",
        events=("PreToolUse",),
        handler=WorkHook(EventName.PRE_TOOL_USE, book),
        matcher=parse_matcher("*"),
    )
    asked_about = Event(name="PreToolUse", tool=ToolCall(name="Read", input={}))
    decision = await RulesOnlyEngine(CLAUDE_CODE_TOOLS, OnceInMemory(), None).decide(asked_about, (hook,))
    assert (book.seen_, not_run(decision)) == ([], ["heartbeat"])
