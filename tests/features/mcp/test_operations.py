"""Work on commitments over MCP: whose it is, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.daemon.home import ME, Home
from tests.features.mcp.agent import SESSION, Agent, person

pytestmark = pytest.mark.deep

HEAD = 'version: "2.0"\n'
ROLES = (
    "settings:\n"
    "  actors: {main: agent:executor, subagents: {Checker: agent:auditor, Planner: agent:architect}}\n"
    "  tiers: {tier_2: review}\n"
)
OPERATIONS = (
    "permissions:\n  actors:\n"
    "    agent:executor: {operations: [capture, commit, claim, submit, close]}\n"
    "    agent:auditor: {operations: [approve, reject]}\n"
    "    agent:architect: {operations: [capture]}\n"
)


@pytest.mark.req("M58", "M60")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_whole_way_of_a_commitment(served: Home, project: Path, mode: str) -> None:
    """Captured, committed, claimed, handed in, closed with evidence: in both ages of the protocol."""
    agent = Agent.start(served, project, mode=mode)
    try:
        first, second = agent.commitment("x"), agent.commitment()
        handed_in = agent.done("submit", commitment=first, summary="fixed")
        shown = agent.done("capture", body="the test passes", kind="evidence")["id"]
        closed = agent.done("close", commitment=second, evidence=shown)
    finally:
        agent.end()

    assert handed_in["commitment"]["state"] == "closed"
    assert closed["commitment"]["state"] == "closed"
    assert closed["commitment"]["evidence"] == [shown]
    assert closed["workspace"] == str(project)
    assert served.broken() is None


@pytest.mark.req("M70")
def test_the_actor_is_the_sessions_and_so_is_the_entry(agent: Agent) -> None:
    """By the kernel's word; from the claim on the session's events carry the commitment."""
    agent.home.write_policy(HEAD + "settings:\n  actors: {main: agent:executor}\n")
    name = agent.commitment()
    agent.bash("ls")
    entry = agent.home.entries("claim")[-1]

    assert (entry.actor, entry.session_id) == ("agent:executor", SESSION)
    assert "claimed_actor" not in entry.body
    assert agent.home.entries("decision")[-1].body["commitment_id"] == name


@pytest.mark.req("M62", "M65", "Z02")
def test_an_agent_does_not_approve_its_own(agent: Agent) -> None:
    """The model reads the code and what to do; nothing is written, and a person can still approve."""
    agent.home.write_policy(HEAD + ROLES)
    name = agent.commitment()
    agent.done("submit", commitment=name, summary="done")
    before = len(agent.home.entries("approve"))

    assert agent.refused("approve", commitment=name) == "E_PERMISSION_DENIED"
    memory = agent.done("capture", body="sure")["id"]
    assert agent.refused("close", commitment=name, evidence=memory) == "E_PERMISSION_DENIED"
    assert len(agent.home.entries("approve")) == before
    by = {"cwd": str(agent.project), "actor": ME, "payload": {"commitment": name}}
    assert person(agent.home, "commitments.approve", **by)["commitment"]["state"] == "closed"


@pytest.mark.req("M67", "M68")
def test_a_sub_agent_acts_under_its_own_name(agent: Agent) -> None:
    """One server serves the whole session; the host's report of the call says which agent made it."""
    agent.home.write_policy(HEAD + ROLES + OPERATIONS)
    name = agent.commitment()
    agent.done("submit", commitment=name, summary="done")

    assert agent.refused("approve", subagent="Planner", commitment=name) == "E_PERMISSION_DENIED"
    assert agent.refused("approve", commitment=name) == "E_PERMISSION_DENIED"
    assert agent.done("approve", subagent="Checker", commitment=name)["actor"] == "agent:auditor"
    assert agent.home.entries("approve")[-1].actor == "agent:auditor"


def test_a_report_speaks_for_one_exact_call(agent: Agent) -> None:
    """Neither other arguments nor a second use get the sub-agent's name; then it is the main agent's."""
    agent.home.write_policy(HEAD + ROLES)
    agent.report(
        hook_event_name="PreToolUse",
        tool_name="mcp__interlock__capture",
        tool_input={"body": "one"},
        tool_use_id="toolu_x",
        agent_id="a1",
        agent_type="Checker",
    )

    def actor(tool: str, **arguments: str) -> str:
        found: str = agent.bare(tool, "toolu_x", **arguments)["document"]["actor"]
        return found

    assert actor("capture", body="two") == "agent:executor"
    assert actor("capture", body="one") == "agent:auditor"
    assert actor("capture", body="one") == "agent:executor"


def test_a_call_that_was_denied_lends_no_name(agent: Agent) -> None:
    """Whoever makes it all the same, past the host, makes it as the main agent."""
    agent.home.write_policy(
        HEAD + ROLES + "hooks:\n  pre_tool_use: [{type: deny, matcher: mentu_capture(*)}]\n"
    )
    denied = agent.report(
        hook_event_name="PreToolUse",
        tool_name="mcp__interlock__capture",
        tool_input={"body": "one"},
        tool_use_id="toolu_y",
        agent_id="a1",
        agent_type="Checker",
    )

    assert '"deny"' in denied
    assert agent.bare("capture", "toolu_y", body="one")["document"]["actor"] == "agent:executor"


@pytest.fixture
def stranger(served: Home, project: Path) -> Iterator[Agent]:
    """An agent whose host has never reported anything."""
    started = Agent.start(served, project, reports=False)
    yield started
    started.end()


@pytest.mark.req("M67", "M70")
def test_whoever_comes_through_the_server_is_no_person(stranger: Agent) -> None:
    """Though nobody knows the agent, it closes nothing that waits for a person."""
    stranger.home.write_policy(HEAD + "settings:\n  tiers: {default: tier_3}\n")
    made = stranger.bare("capture", body="x")["document"]
    by = {"cwd": str(stranger.project), "actor": ME}
    owed = person(stranger.home, "commitments.commit", **by, payload={"body": "b", "source": made["id"]})[
        "id"
    ]
    person(stranger.home, "commitments.claim", **by, payload={"commitment": owed})
    person(stranger.home, "commitments.submit", **by, payload={"commitment": owed, "summary": "done"})

    assert made["actor"] == "agent:main"
    assert stranger.bare("approve", commitment=owed)["document"]["error"] == "E_CONSTRAINT_VIOLATED"
    asked = stranger.bare("request_approval", tool="Bash", input={"command": "ls"})
    assert asked["document"]["error"] == "E_PERMISSION_DENIED"


@pytest.mark.req("M62", "M63")
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "says"),
    [
        ("capture", {"body": " "}, "E_EMPTY_BODY", "body"),
        ("capture", {"body": "x", "knd": "y"}, "E_INVALID_OP", "did you mean `kind`?"),
        ("capture", {"body": 5}, "E_INVALID_OP", "`body` is not text"),
        ("capture", {"body": "x", "source_key": 5}, "E_INVALID_OP", "source_key"),
        ("capture", {"body": "x", "author_type": "wizard"}, "E_INVALID_OP", "wizard"),
        ("capture", {"body": "x", "audit": "mem_00000000"}, "E_REF_NOT_FOUND", "mem_00000000"),
        ("capture", {"body": "x", "kind": "finding"}, "E_CITATION_REQUIRED", "ref"),
        ("commit", {"body": "x"}, "E_MISSING_FIELD", "source"),
        ("commit", {"body": "x", "source": "mem_00000000"}, "E_REF_NOT_FOUND", "mem_00000000"),
        ("claim", {"commitment": "cmt_00000000"}, "E_REF_NOT_FOUND", "cmt_00000000"),
        ("close", {}, "E_MISSING_FIELD", "commitment"),
        ("reject", {"commitment": "cmt_00000000"}, "E_MISSING_FIELD", "reason"),
        ("search", {"limit": 0}, "E_INVALID_OP", "limit"),
        ("search", {"limit": 51}, "E_INVALID_OP", "limit"),
        ("search", {"op": "alarm"}, "E_INVALID_OP", "alarm"),
        ("search", {"text": "***"}, "E_INVALID_OP", "give a word"),
        ("explain", {"tool": "Bash"}, "E_INVALID_OP", "input"),
        ("explain", {"tool": "", "input": {}}, "E_INVALID_OP", "tool"),
        ("request_approval", {"tool": "Bash", "input": "ls"}, "E_INVALID_OP", "object"),
        ("clame", {}, "E_INVALID_OP", "did you mean `claim`?"),
    ],
)
def test_bad_input_is_a_tool_error_with_code_and_next_step(
    agent: Agent, tool: str, arguments: dict[str, object], code: str, says: str
) -> None:
    """The model can do better next time; no operation is written."""
    assert agent.refused(tool, **arguments) == code
    assert says in agent.bare(tool, **arguments)["text"]
    assert {entry.op for entry in agent.home.entries()} == {"decision"}


def test_a_key_is_recorded_once(agent: Agent) -> None:
    """A repeat after a crash is told what is there."""
    made = agent.done("capture", body="x", source_key="mail-7")["id"]
    found = agent.call("capture", body="x", source_key="mail-7")

    assert found["document"]["error"] == "E_DUPLICATE_SOURCE_KEY"
    assert found["document"]["id"] == made


def test_a_folder_of_no_project_has_no_commitments(served: Home) -> None:
    """The refusal says what makes one."""
    agent = Agent.start(served, Path("/usr"))
    try:
        assert agent.refused("capture", body="x") == "E_NO_WORKSPACE"
        assert {entry["op"] for entry in agent.done("search")["entries"]} == {"decision"}
    finally:
        agent.end()


def test_a_daemon_that_is_gone_is_started(agent: Agent) -> None:
    """The agent is still known, and its entry stands."""
    agent.home.end()

    assert agent.bare("capture", body="x")["document"]["actor"] == "agent:main"
    assert agent.home.entries("capture")[-1].session_id == SESSION


@pytest.mark.req("M53", "M12")
def test_policies_that_name_mentu_s_tools_judge_ours(agent: Agent) -> None:
    """Both ways, the glob on the body; what is denied never reaches the server."""
    agent.home.write_policy(
        HEAD
        + "permissions:\n  actors:\n    agent:main:\n"
        + "      allow: ['mentu_capture(*)', 'mentu_commit(fix *)', mcp__interlock__claim]\n"
        + "      deny: ['mcp__interlock__commit(*prod*)']\n"
    )
    memory = agent.done("capture", body="seen")["id"]

    assert agent.done("commit", body="fix it", source=memory)["op"] == "commit"
    for body in ("break it", "fix prod"):
        said = json.loads(agent.call("commit", body=body, source=memory)["text"])
        assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert len(agent.home.entries("commit")) == 1
