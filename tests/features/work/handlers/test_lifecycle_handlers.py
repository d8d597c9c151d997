"""Sessions end, windows fill up, turns end and fail: what the handlers make of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.features.work.hooked import UUID, Hooked
from tests.features.work.place_of_work import window

from interlock.events.verdict import NO_OPINION
from interlock.features.work.settings import WorkNotify, WorkRules
from interlock.features.work.store import NoticeKind


def failed_turn(transcript: Path, text: str) -> str:
    """A transcript whose last line is an error of the client."""
    message = {"role": "assistant", "model": "<synthetic>", "content": [{"type": "text", "text": text}]}
    line = {"type": "assistant", "isApiErrorMessage": True, "message": message}
    transcript.write_text(json.dumps(line) + "\n")
    return str(transcript)


@pytest.mark.req("E20")
def test_a_session_that_ends_is_ended_and_its_agent_done(hooked: Hooked) -> None:
    """With its sub-agents'; people hear of it, and told twice it is told once."""
    hooked.rules = WorkRules(notify=WorkNotify(bell=True))
    hooked.begun()
    hooked.ask("SubagentStart")
    answer = hooked.ask("SessionEnd", reason="prompt_input_exit")
    assert answer == {"sessionEnded": True, "agentUpdated": True}
    assert [hooked.session(n).end_reason for n in (1, 2)] == ["prompt_input_exit"] * 2
    assert all(hooked.session(n).ended_at for n in (1, 2))
    assert hooked.status() == "done"
    (told,) = hooked.told
    assert (told.kind, told.session_id, told.notify.bell) == (NoticeKind.ENDED, UUID, True)
    assert hooked.ask("SessionEnd") == {"sessionEnded": False, "agentUpdated": True}


@pytest.mark.req("E20")
@pytest.mark.parametrize("before", ["working", "attention", "error", "idle"])
def test_an_agent_whose_session_ended_is_done_however_it_was(hooked: Hooked, before: str) -> None:
    """Nobody is in trouble or waits any more; that a turn ran out was told when it did."""
    hooked.begun()
    hooked.work.agents.set_status(UUID, before)
    hooked.tell("SessionEnd")
    assert hooked.status() == "done"


@pytest.mark.req("E18", "E56")
def test_ends_of_sessions_nobody_knows_are_fine(hooked: Hooked) -> None:
    """Nothing is updated, and nobody is told."""
    assert hooked.ask("SessionEnd", session_id="nobody") == {"sessionEnded": False, "agentUpdated": False}
    assert hooked.told == []
    assert hooked.tell("SessionEnd", session_id="nobody") == NO_OPINION


@pytest.mark.req("E21", "E41", "X24")
def test_an_automatic_compaction_ends_the_session_and_writes_the_restart_prompt(hooked: Hooked) -> None:
    """Nothing is killed unless people chose so, and nothing is dehydrated: it is too late for that."""
    effort, session = hooked.begun()
    hooked.work.efforts.set_phase(effort.id, "2: Build")
    answer = hooked.ask("PreCompact")
    assert (answer["sessionEnded"], answer["killed"]) == (True, False)
    assert answer["restartPrompt"].startswith(
        "Continue effort e1 (`implement`, phase `2: Build`) of the task in"
    )
    row = hooked.session(session.id)
    assert (row.end_reason, row.restart_prompt) == ("compaction", answer["restartPrompt"])
    assert (row.dehydration_payload, hooked.ended) == (None, [])
    assert hooked.tell("PreCompact") == NO_OPINION


@pytest.mark.req("E21", "E80")
def test_a_manual_compaction_changes_nothing(hooked: Hooked) -> None:
    """A person who compacts goes on in the same session."""
    hooked.begun()
    before = hooked.rows()
    answer = hooked.ask("PreCompact", trigger="manual", custom_instructions="keep the names")
    assert answer == {"sessionEnded": False, "restartPrompt": None, "killed": False}
    assert hooked.changed(before) == set()


@pytest.mark.req("E21")
@pytest.mark.parametrize("there", [True, False])
def test_killing_is_for_those_who_chose_it(hooked: Hooked, there: bool) -> None:
    """And only where the process is known, of a session at work on something."""
    hooked.rules = WorkRules(kill_on_compaction=True)
    hooked.can_end = there
    window(hooked.work, "plain")
    assert hooked.ask("PreCompact", session_id="plain")["killed"] is False
    assert hooked.ended == []
    hooked.begun()
    assert hooked.ask("PreCompact")["killed"] is there
    assert hooked.ended == [UUID]


@pytest.mark.req("E41")
def test_after_a_compaction_the_next_session_points_back(hooked: Hooked) -> None:
    """The same window of the host, another session of ours."""
    hooked.begun()
    hooked.ask("PreCompact")
    answer = hooked.ask("SessionStart", source="compact")
    assert (answer["found"], hooked.session(answer["sessionId"]).prev_session_id) == (True, 1)


@pytest.mark.req("E27", "E56")
def test_a_failure_is_kept_and_the_agent_is_in_trouble(hooked: Hooked) -> None:
    """Also an interruption; the message says which tool and what went wrong."""
    hooked.begun()
    assert hooked.ask("PostToolUseFailure") == {"agentUpdated": True, "messageLogged": True}
    assert hooked.status() == "error"
    hooked.ask("PostToolUseFailure", error="interrupted", is_interrupt=True)
    assert hooked.said(1) == [
        ("system", {"event": "tool_use_failure", "toolName": "Bash", "error": "Exit code 1"}),
        ("system", {"event": "tool_use_failure", "toolName": "Bash", "error": "interrupted"}),
    ]
    assert hooked.ask("PostToolUseFailure", session_id="nobody") == {
        "agentUpdated": False,
        "messageLogged": False,
    }


@pytest.mark.req("E28", "E56", "E80")
def test_the_end_of_a_turn_makes_the_agent_done_and_ends_no_session(hooked: Hooked) -> None:
    """However often it is told."""
    hooked.begun()
    hooked.tell("UserPromptSubmit")
    for _ in range(2):
        assert hooked.ask("Stop") == {"agentUpdated": True, "exhaustion": None}
        assert hooked.status() == "done"
    assert hooked.session(1).ended_at is None


@pytest.mark.req("E28", "E70")
@pytest.mark.parametrize(
    ("text", "ran_out", "restarts"),
    [
        ("API Error: rate limit exceeded", "rate_limit", False),
        ("Prompt is too long", "context", True),
    ],
)
def test_a_turn_that_ended_because_something_ran_out_is_an_error(
    hooked: Hooked, tmp_path: Path, text: str, ran_out: str, restarts: bool
) -> None:
    """The transcript tells; people hear of it, and a full window leaves a restart prompt."""
    hooked.begun()
    path = failed_turn(tmp_path / "t.jsonl", text)
    assert hooked.ask("Stop", transcript_path=path) == {"agentUpdated": True, "exhaustion": ran_out}
    assert hooked.status() == "error"
    assert [one.kind for one in hooked.told] == [NoticeKind.EXHAUSTED]
    assert (hooked.session(1).restart_prompt is not None) is restarts


def test_a_turn_the_host_gave_up_is_an_error(hooked: Hooked) -> None:
    """`StopFailure` is none of the fifteen, but an agent must not look busy for ever."""
    hooked.begun()
    hooked.tell("UserPromptSubmit")
    failure: dict[str, Any] = {"hook_event_name": "StopFailure", "error": "unknown"}
    hooked.tell("Stop", **failure, last_assistant_message="API Error: 400 scripted")
    assert (hooked.status(), hooked.told) == ("error", [])


@pytest.mark.req("E29", "E55")
def test_a_prompt_is_answered_with_where_the_work_stands(hooked: Hooked) -> None:
    """One line with time, session, skill, phase and heartbeat, for the model too; the agent works."""
    hooked.begun(metadata={"blockAfter": 7})
    hooked.work.efforts.set_phase(1, "1: Plan")
    hooked.calls(3)
    line = (
        "[Session Context] Time: 2026-01-01T00:00:00.000Z | Session: 1 | Skill: implement | Phase: 1: Plan"
        " | Heartbeat: 3/7"
    )
    assert hooked.ask("UserPromptSubmit") == {
        "sessionContext": line,
        "effortId": 1,
        "sessionId": 1,
        "taskDir": str(hooked.folder / "task"),
        "skill": "implement",
        "phase": "1: Plan",
        "heartbeat": "3/7",
    }
    assert hooked.tell("UserPromptSubmit").context == line
    assert hooked.status() == "working"


@pytest.mark.req("E29", "E55", "E18")
def test_without_an_effort_a_prompt_is_answered_with_nothing(hooked: Hooked) -> None:
    """An empty text and `0/10`."""
    empty = {
        "sessionContext": "",
        "effortId": None,
        "sessionId": None,
        "taskDir": None,
        "skill": None,
        "phase": None,
        "heartbeat": "0/10",
    }
    assert hooked.ask("UserPromptSubmit") == empty
    assert hooked.tell("UserPromptSubmit").context is None


@pytest.mark.req("E30")
@pytest.mark.parametrize("kind", ["permission_prompt", "idle_prompt", "elicitation_dialog"])
def test_an_agent_that_waits_says_so(hooked: Hooked, kind: str) -> None:
    """And people are told in the host's words."""
    hooked.begun()
    assert hooked.ask("Notification", notification_type=kind, title="Look") == {"agentUpdated": True}
    assert hooked.status() == "attention"
    assert [(one.kind, one.text) for one in hooked.told] == [(NoticeKind.ATTENTION, "needs you")]


@pytest.mark.req("E30")
@pytest.mark.parametrize("kind", ["auth_success", "elicitation_complete", "agent_completed", "new_one"])
def test_other_notices_are_not_about_waiting(hooked: Hooked, kind: str) -> None:
    """Nothing changes."""
    hooked.begun()
    before = hooked.rows()
    assert hooked.ask("Notification", notification_type=kind) == {"agentUpdated": False}
    assert (hooked.changed(before), hooked.told) == (set(), [])


@pytest.mark.req("E31", "E56")
def test_a_permission_request_waits_for_somebody(hooked: Hooked) -> None:
    """With suggestions or without; of a session nobody knows, nothing is updated."""
    hooked.begun()
    assert hooked.ask("PermissionRequest", permission_suggestions=[{"type": "addRules"}]) == {
        "agentUpdated": True
    }
    assert hooked.status() == "attention"
    assert hooked.ask("PermissionRequest", session_id="nobody") == {"agentUpdated": False}


@pytest.mark.req("E36")
def test_changed_skills_are_read_anew_and_settings_are_no_business_of_ours(hooked: Hooked) -> None:
    """Phases go by what the file says now, also in the window that is open."""
    home = hooked.folder / ".claude" / "skills" / "implement"
    home.mkdir(parents=True)
    (home / "SKILL.md").write_text('---\nname: implement\nphases: ["0: Old"]\n---\n')
    hooked.begun()
    assert hooked.ask("SessionStart")["skillConfig"]["phases"] == ["0: Old"]
    (home / "SKILL.md").write_text('---\nname: implement\nphases: ["0: New"]\n---\n')
    settings = {"source": "local_settings", "file_path": f"{hooked.folder}/.claude/settings.local.json"}
    assert hooked.ask("ConfigChange", **settings) == {"skillsForgotten": 0}
    assert hooked.work.phases.declared(hooked.effort()) == ["0: Old"]
    assert hooked.ask("ConfigChange", source="skills", file_path=str(home / "SKILL.md")) == {
        "skillsForgotten": 1
    }
    assert hooked.work.phases.declared(hooked.effort()) == []
    hooked.ask("PostToolUse", tool_name="Read", tool_input={"file_path": str(home / "SKILL.md")})
    assert hooked.work.phases.declared(hooked.effort()) == ["0: New"]
