"""Which layers each handler touches, and at which moments it fires."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.work.hooked import OWN, UUID, Hooked

from interlock.events.verdict import Vote
from interlock.features.work.hook import EVENTS

# Tables a handler may change; what it only reads is not listed.
LAYERS: dict[str, set[str]] = {
    "SessionStart": {"sessions", "agents"},
    "SessionEnd": {"sessions", "agents"},
    "PreCompact": {"sessions"},
    "PreToolUse": {"sessions"},
    "PostToolUse": {"efforts", "messages"},
    "PostToolUseFailure": {"agents", "messages"},
    "Stop": {"agents"},
    "UserPromptSubmit": {"agents"},
    "Notification": {"agents"},
    "PermissionRequest": {"agents"},
    "TeammateIdle": {"agents", "sessions", "messages"},
    "TaskCompleted": {"efforts", "messages"},
    "SubagentStart": {"sessions"},
    "SubagentStop": {"sessions"},
    "ConfigChange": set(),
}
ASKED: dict[str, Any] = {
    "tool_name": "AskUserQuestion",
    "tool_input": {"questions": [{"question": "Which?", "options": []}]},
    "tool_response": {"answers": {"Which?": "B"}},
}


def ready(hooked: Hooked) -> None:
    """An effort with everything a handler could change."""
    hooked.begun(metadata={"pendingInjections": [{"ruleId": "r", "content": "c"}]})
    hooked.work.agents.set_status(UUID, "working")
    hooked.work.agents.register("ann", parent=UUID)
    hooked.work.agents.set_status("ann", "working")


@pytest.mark.req("E79")
@pytest.mark.parametrize("event", list(LAYERS))
def test_a_handler_changes_its_own_layers_and_no_other(hooked: Hooked, event: str) -> None:
    """As declared for each of the fifteen; the row of design 10 for those that were stubs."""
    ready(hooked)
    if event == "SubagentStop":
        hooked.ask("SubagentStart")
    if event == "UserPromptSubmit":
        hooked.ask("Stop")
    before = hooked.rows()
    hooked.ask(event, **(ASKED if event == "PostToolUse" else {}))
    assert hooked.changed(before) == LAYERS[event]


@pytest.mark.req("E18")
@pytest.mark.parametrize("event", list(OWN))
def test_unknown_ids_are_no_error_and_change_no_foreign_row(hooked: Hooked, event: str) -> None:
    """A session, a folder and a sub-agent nobody knows, over either door."""
    ready(hooked)
    before = hooked.rows()
    fields: dict[str, Any] = {"session_id": "nobody", "cwd": "/nowhere", "agent_id": "none"}
    fields = {**fields, "teammate_name": "zed"} if event == "TeammateIdle" else fields
    hooked.ask(event, **fields)
    verdict = hooked.tell(event, **fields)
    assert (verdict.vote, verdict.reason, verdict.context) == (Vote.ABSTAIN, None, None)
    after = hooked.rows()
    for name, rows in before.items():
        assert after[name][: len(rows)] == rows


@pytest.mark.req("E80")
def test_the_hook_is_bound_to_every_moment_it_has_a_handler_for() -> None:
    """A success and a failure are two moments; the end of a turn is not the end of a session."""
    assert {str(event) for event in EVENTS} == {*OWN, "StopFailure"}


@pytest.mark.req("E80")
@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_starts_with_the_process_a_new_window_or_after_clear(hooked: Hooked, source: str) -> None:
    """Whatever the host calls it."""
    hooked.begun()
    assert hooked.ask("SessionStart", source=source)["sessionId"] == 2


def test_what_happens_twice_is_done_once(hooked: Hooked) -> None:
    """Everything but starts and counts: hosts repeat themselves."""
    ready(hooked)
    for event in ("Stop", "Notification", "PermissionRequest", "ConfigChange", "SessionEnd"):
        hooked.ask(event)
        before = hooked.rows()
        hooked.ask(event)
        assert hooked.changed(before) == set()
