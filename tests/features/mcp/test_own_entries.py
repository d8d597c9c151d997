"""What an agent sees of the ledger: its own session and its workspace, without secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import ME, Home, bash
from tests.features.mcp.agent import Agent, person

from interlock.features.mcp.rpc import may_see
from interlock.ledger.entry import Entry

pytestmark = pytest.mark.deep

SECRET = "ghp_" + "a1B2" * 9


def texts(found: dict[str, Any]) -> list[str]:
    """What was found, in its own words."""
    return [entry["text"] for entry in found["entries"]]


@pytest.mark.req("L06")
def test_secrets_are_not_found_again(agent: Agent) -> None:
    """Neither by an excerpt nor by a member."""
    agent.done("capture", body=f"the token is {SECRET} indeed")
    found = agent.call("search", text="indeed")

    assert len(found["document"]["entries"]) == 1
    assert SECRET not in found["text"]
    assert "[secret:" in found["document"]["entries"][0]["body"]


def test_of_other_sessions_nothing_is_seen(agent: Agent) -> None:
    """The same project and the same words: what another agent ran is not this one's business."""
    where = str(agent.project)
    agent.home.call(bash("echo pineapple theirs", cwd=where, session_id="s-other"))
    agent.bash("echo pineapple mine")

    assert texts(agent.done("search", text="pineapple")) == ["echo pineapple mine"]
    assert agent.done("search", op="decision", text="theirs")["entries"] == []


def test_the_workspace_is_shared_and_others_are_not(agent: Agent, tmp_path_factory: Any) -> None:
    """What a person captured here is found, what they captured elsewhere is not."""
    elsewhere: Path = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / ".git").mkdir()
    for place, body in ((agent.project, "pineapple here"), (elsewhere, "pineapple there")):
        by = {"cwd": str(place), "actor": ME}
        person(agent.home, "commitments.capture", **by, payload={"body": body})

    (found,) = agent.done("search", text="pineapple")["entries"]
    assert (found["body"], found["actor"], found["op"]) == ("pineapple here", ME, "capture")


@pytest.mark.parametrize(
    ("op", "session", "workspace", "tool", "seen"),
    [
        ("decision", "s", "/w", "Bash", True),
        ("evidence", "s", "/elsewhere", "Bash", True),
        ("approval", "s", "/w", "Bash", True),
        ("decision", "s", "/w", "mcp__interlock__search", False),
        ("capture", "other", "/w", None, True),
        ("capture", None, "/elsewhere", None, False),
        ("decision", "other", "/w", "Bash", False),
        ("evidence", None, "/w", "Bash", False),
        *(
            (op, "s", "/w", None, False)
            for op in ("alarm", "refused", "gap", "overridden", "grant", "retention")
        ),
    ],
)
def test_an_entry_is_the_sessions_the_workspaces_or_hidden(
    op: str, session: str | None, workspace: str, tool: str | None, seen: bool
) -> None:
    """What tells how the gate is watched is for people, also where it names the session."""
    payload = b'{"body":{"body":"x"}}'
    entry = Entry(1, "id", op, "t", "agent:main", workspace, session, None, tool, None, payload, b"", b"")

    assert may_see(entry, "s", "/w") is seen
    assert may_see(entry, None, None) is False


def test_pages_follow_each_other(agent: Agent) -> None:
    """The newest first; the last page says so by naming none."""
    for number in range(5):
        agent.done("capture", body=f"apple {number}")
    first = agent.done("search", text="apple", limit=2)
    second = agent.done("search", text="apple", limit=2, before=first["before"])
    third = agent.done("search", text="apple", limit=2, before=second["before"])

    assert [texts(page) for page in (first, second, third)] == [
        ["apple 4", "apple 3"],
        ["apple 2", "apple 1"],
        ["apple 0"],
    ]
    assert "before" not in third


def test_one_kind_can_be_asked_for(agent: Agent) -> None:
    """Commitments alone, with the members a model goes on with."""
    name = agent.commitment("x")
    (found,) = agent.done("search", op="commit")["entries"]

    assert (found["id"], found["body"], found["tags"]) == (name, "fix it", ["x"])


def test_an_unknown_agent_sees_the_workspace_alone(served: Home, project: Path) -> None:
    """It has no session."""
    stranger = Agent.start(served, project, reports=False)
    try:
        stranger.bare("capture", body="banana")
        where = str(project)
        served.call(bash("echo banana", cwd=where, session_id=""))
        found = stranger.bare("search", text="banana")["document"]["entries"]
    finally:
        stranger.end()

    assert [entry["op"] for entry in found] == ["capture"]
