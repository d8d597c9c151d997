"""`/effort` as a call of a skill: the deed is done at once, and a mistake says how it is used."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked

from interlock.events.verdict import Vote


def effort(args: Any, use_id: str = "toolu_1") -> dict[str, Any]:
    """A call of the skill."""
    return {"tool_name": "Skill", "tool_input": {"skill": "effort", "args": args}, "tool_use_id": use_id}


@pytest.mark.req("E50")
def test_an_effort_is_started_resumed_and_logged_on(hooked: Hooked) -> None:
    """The result goes back as context, and the session is at work on it from then on."""
    hooked.ask("SessionStart")
    hooked.tell("PreToolUse")  # it is known to be at nothing
    started = hooked.tell("PreToolUse", **effort("start 'docs/my task' implement --mode fast"))
    folder = hooked.folder / "docs" / "my task"
    assert started.vote is Vote.ABSTAIN
    assert started.context == f"[Effort] Effort e1 (`implement`) of `{folder}` started, session 1."
    assert (hooked.effort().mode, hooked.session(1).effort_id) == ("fast", 1)
    assert [one["heartbeatCount"] for one in hooked.calls(2, first=10)] == [1, 2]

    logged = hooked.tell("PreToolUse", **effort("log ## It's so\nand so", "toolu_2"))
    assert logged.context == f"[Effort] Logged in `{folder / '1_IMPLEMENT_LOG.md'}`."
    assert "It's so\nand so\n" in (folder / "1_IMPLEMENT_LOG.md").read_text()
    assert hooked.session(1).heartbeat_counter == 0

    hooked.ask("SessionEnd")
    hooked.work.agents.clear_effort(1)
    hooked.ask("SessionStart", session_id="u-2", agent="new")
    resumed = hooked.ask("PreToolUse", session_id="u-2", agent="new", **effort("resume 'docs/my task'"))
    assert resumed["allow"] is True
    by_name = hooked.tell(
        "PreToolUse", session_id="u-2", env={"AGENT_ID": "new"}, **effort("resume e1", "t4")
    )
    assert (by_name.context or "").startswith("[Effort] Effort e1 (`implement`)")
    row = hooked.work.sessions.open_of("u-2")
    assert row is not None
    assert row.effort_id == 1


@pytest.mark.req("E50")
def test_it_comes_before_any_guard(hooked: Hooked) -> None:
    """Also where calls are held: else nobody could go on by it."""
    hooked.begun(metadata={"blockAfter": 0})
    assert hooked.calls(1)[0]["allow"] is False
    assert hooked.ask("PreToolUse", **effort("log done"))["allow"] is True


def test_a_call_that_is_judged_again_is_not_done_again(hooked: Hooked) -> None:
    """By its id; another call is another effort."""
    hooked.ask("SessionStart")
    for _ in range(2):
        assert hooked.tell("PreToolUse", **effort("start a implement", "t1")).context
    hooked.tell("PreToolUse", **effort("start a fix", "t2"))
    assert [one.skill for one in hooked.work.efforts.listed()] == ["fix", "implement"]


@pytest.mark.req("E50")
@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("", "nothing to do is named"),
        (None, "nothing to do is named"),
        (7, "nothing to do is named"),
        ("begin a b", "`begin` is not `start`, `resume` or `log`"),
        ("start a", "name a task and a skill"),
        ("start a b c", "name a task and a skill"),
        ("start a b --mode", "`--mode` has no value"),
        ("start 'a b", "the words cannot be split"),
        ("start ../elsewhere implement", "`../elsewhere` is not a folder of this project"),
        ("start .interlock implement", "`.interlock` is not a folder of this project"),
        ("resume a b", "name only one effort or task"),
        ("resume nowhere", "is not a task with an active effort"),
        ("log", "there is no effort here"),
    ],
)
def test_a_mistake_is_a_no_with_how_it_is_used(hooked: Hooked, args: Any, said: str) -> None:
    """And nothing is changed."""
    hooked.ask("SessionStart")
    hooked.tell("UserPromptSubmit")
    before = hooked.rows()
    verdict = hooked.tell("PreToolUse", **effort(args))
    assert verdict.vote is Vote.DENY
    assert said in (verdict.reason or "")
    assert (verdict.reason or "").endswith("or `/effort log TEXT`")
    assert hooked.changed(before) == set()


def test_other_skills_are_none_of_ours(hooked: Hooked) -> None:
    """They are calls like any other."""
    hooked.begun()
    for name in ("greet", "efforts", "my:effort"):
        answer = hooked.ask("PreToolUse", tool_name="Skill", tool_input={"skill": name}, tool_use_id=name)
        assert answer["allow"] is True
    assert hooked.session(1).heartbeat_counter == 3
    assert hooked.status(UUID) == "working"
