"""Sub-agents on their parent's effort, teammates and the agent's own list."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked
from tests.features.work.place_of_work import window

from interlock.features.work.settings import WorkRules


def sub(**fields: Any) -> dict[str, Any]:
    """Fields of an event inside the sub-agent."""
    return {"agent_id": "a1", "agent_type": "Explore", **fields}


@pytest.mark.req("E34", "E37", "E56")
def test_a_sub_agent_has_a_session_of_its_own_on_its_parents_effort(hooked: Hooked) -> None:
    """And its parent's goes on: nothing of it ends."""
    effort, parent = hooked.begun(metadata={"blockAfter": 5})
    answer = hooked.ask("SubagentStart")
    assert (answer["sessionId"], answer["effortId"]) == (2, effort.id)
    row = hooked.session(2)
    assert (row.agent_id, row.effort_id, row.host_session_id) == ("a1", effort.id, UUID)
    assert hooked.session(parent.id).ended_at is None


@pytest.mark.req("E34")
def test_a_sub_agent_is_given_template_directives_and_metadata(hooked: Hooked) -> None:
    """In the answer, and in words as context."""
    home = hooked.folder / ".claude" / "skills" / "implement"
    home.mkdir(parents=True)
    (home / "SKILL.md").write_text("---\nname: implement\ntemplates: [TEMPLATE_LOG.md]\n---\n")
    effort, _ = hooked.begun(metadata={"blockAfter": 5})
    hooked.ask("SessionStart")
    hooked.work.efforts.add_directives(effort.id, ["/p/AGENTS.md"])

    answer = hooked.ask("SubagentStart")
    assert list(answer) == ["sessionId", "effortId", "logTemplate", "directives", "effortMetadata"]
    assert answer["logTemplate"] == str(home / "TEMPLATE_LOG.md")
    assert answer["directives"] == ["/p/AGENTS.md"]
    assert answer["effortMetadata"] == {"blockAfter": 5}
    said = hooked.tell("SubagentStart", agent_id="a2").context
    assert said is not None
    for part in ("effort e1 (`implement`)", "every 5 tool calls", "TEMPLATE_LOG.md", "- /p/AGENTS.md"):
        assert part in said


@pytest.mark.req("E37")
def test_each_counts_its_own_calls(hooked: Hooked) -> None:
    """A sub-agent's silence does not hold its parent, nor the other way round."""
    hooked.begun(metadata={"blockAfter": 3})
    hooked.ask("SubagentStart")
    inside = hooked.calls(3, **sub())
    assert [one["allow"] for one in inside] == [True, True, False]
    assert hooked.calls(1, first=10)[0] == hooked.calls(1, first=10)[0]
    assert [hooked.session(n).heartbeat_counter for n in (1, 2)] == [1, 3]


@pytest.mark.req("E35")
def test_a_sub_agent_that_ends_leaves_the_files_it_read_to_the_effort(hooked: Hooked) -> None:
    """Only its own session ends; each file is known once."""
    hooked.begun(metadata={"blockAfter": 50, "loadedFiles": ["/old"]})
    hooked.ask("SubagentStart")
    for name in ("a.py", "b.py", "a.py"):
        hooked.ask("PostToolUse", tool_name="Read", tool_input={"file_path": f"/{name}"}, **sub())
    answer = hooked.ask("SubagentStop")
    assert answer == {"sessionEnded": True, "mergedFiles": ["/a.py", "/b.py"]}
    assert hooked.effort().metadata == {"blockAfter": 50, "loadedFiles": ["/old", "/a.py", "/b.py"]}
    assert (hooked.session(2).end_reason, hooked.session(1).ended_at) == ("subagent_stop", None)
    assert hooked.ask("SubagentStop") == {"sessionEnded": False, "mergedFiles": []}


@pytest.mark.req("E18", "E34")
def test_a_sub_agent_of_a_parent_without_an_effort_is_given_nothing(hooked: Hooked) -> None:
    """Nulls, and no session."""
    window(hooked.work, UUID)
    before = hooked.rows()
    assert hooked.ask("SubagentStart") == {
        "sessionId": None,
        "effortId": None,
        "logTemplate": None,
        "directives": [],
        "effortMetadata": None,
    }
    assert hooked.changed(before) == set()
    assert hooked.tell("SubagentStart").context is None
    assert hooked.ask("SubagentStop", agent_id="never-seen")["sessionEnded"] is False


@pytest.mark.req("E32", "E56")
def test_an_idle_teammate_is_done_and_its_coordinator_is_told(hooked: Hooked) -> None:
    """After the coordinator's next call, once."""
    agents = hooked.work.agents
    hooked.ask("SessionStart", session_id="u-lead", agent="lead")
    agents.set_manages("lead", ["blue"])
    hooked.ask("SessionStart", session_id="u-ann", agent="ann")
    agents.set_status("ann", "working")

    for _ in range(2):
        answer = hooked.ask("TeammateIdle", session_id="u-ann", agent="ann")
        assert answer == {"agentUpdated": True, "coordinatorSignaled": True, "messageLogged": True}
    assert hooked.status("ann") == "done"
    told = hooked.tell("PostToolUse", session_id="u-lead", env={"AGENT_ID": "lead"}).context
    assert told == "[Directive: teammate-idle]\n`ann` of the team `blue` is idle: give it work."
    assert hooked.tell("PostToolUse", session_id="u-lead", env={"AGENT_ID": "lead"}).context is None
    assert hooked.said(2)[0] == (
        "system",
        {"event": "teammate_idle", "teammateName": "ann", "teamName": "blue"},
    )


@pytest.mark.req("E32")
@pytest.mark.parametrize("managed", ["ann", "blue"])
def test_a_declared_coordinator_is_told_of_teammates_nobody_knows(hooked: Hooked, managed: str) -> None:
    """By the teammate's name or its team's; and views show that it coordinates."""
    hooked.rules = WorkRules(manages={"lead": (managed,)})
    hooked.ask("SessionStart", session_id="u-lead", agent="lead")

    answer = hooked.ask("TeammateIdle", session_id="u-ann")
    assert answer == {"agentUpdated": False, "coordinatorSignaled": True, "messageLogged": False}
    assert hooked.work.agents.listed()[0].manages == (managed,)
    told = hooked.tell("PostToolUse", session_id="u-lead", env={"AGENT_ID": "lead"}).context
    assert told == "[Directive: teammate-idle]\n`ann` of the team `blue` is idle: give it work."


@pytest.mark.req("E32")
def test_a_parent_coordinates_its_teammates(hooked: Hooked) -> None:
    """Where nobody says that he manages them; and one nobody knows is nobody's matter."""
    hooked.ask("SessionStart", session_id="u-lead")
    hooked.work.agents.register("ann", parent="u-lead")
    assert hooked.ask("TeammateIdle", session_id="u-lead") == {
        "agentUpdated": True,
        "coordinatorSignaled": True,
        "messageLogged": True,
    }
    assert hooked.ask("TeammateIdle", session_id="x", teammate_name="zed") == {
        "agentUpdated": False,
        "coordinatorSignaled": False,
        "messageLogged": False,
    }


@pytest.mark.req("E33", "E56", "E80")
def test_an_item_of_the_agents_own_list_is_kept_with_the_effort(hooked: Hooked) -> None:
    """It is not a task of ours: no row of `tasks` changes, and the effort is not finished."""
    hooked.begun(metadata={"blockAfter": 9})
    before = hooked.rows()
    more = {"task_description": "A task", "teammate_name": "ann", "team_name": "blue"}
    assert hooked.ask("TaskCompleted", **more) == {"messageLogged": True, "effortUpdated": True}
    assert hooked.ask("TaskCompleted", **more) == {"messageLogged": False, "effortUpdated": False}
    assert hooked.changed(before) == {"efforts", "messages"}
    effort = hooked.effort()
    assert (effort.lifecycle, effort.metadata["blockAfter"]) == ("active", 9)
    (kept,) = effort.metadata["completedTasks"]
    assert (kept["taskId"], kept["taskSubject"], kept["teammateName"]) == ("1", "Rig task", "ann")
    assert hooked.said(1)[0][1]["event"] == "task_completed"
    assert hooked.ask("TaskCompleted", session_id="nobody") == {
        "messageLogged": False,
        "effortUpdated": False,
    }
