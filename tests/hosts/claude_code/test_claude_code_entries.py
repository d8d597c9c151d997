"""Our entries among other people's."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from tests.builders import hook

from interlock.events.verdict import NO_OPINION
from interlock.hosts.claude_code.entries import (
    ALWAYS,
    is_ours,
    merge_entries,
    our_handlers,
    remove_entries,
    wanted_events,
)
from interlock.hosts.claude_code.lint import lint
from interlock.hosts.claude_code.settings import SettingsError

OURS = our_handlers("/home/dev/bin/interlock-hook", ["claude-code"], [])
OTHER: dict[str, Any] = {"type": "command", "command": "./guard.sh", "own key": 1}


def test_entries_are_in_the_form_without_a_shell() -> None:
    """A full path, arguments apart, a time; nothing the client's own rules find fault with."""
    assert OURS["PreToolUse"] == {
        "type": "command",
        "command": "/home/dev/bin/interlock-hook",
        "args": ["claude-code"],
        "timeout": 60,
        "onFailure": "block",
    }
    assert {event for event, handler in OURS.items() if "onFailure" in handler} == {
        "PreToolUse",
        "PermissionRequest",
    }
    assert set(OURS) == set(ALWAYS)
    assert lint({"hooks": merge_entries({}, OURS)}) == []


def test_events_are_added_when_a_hook_is_bound_to_them() -> None:
    """Never the one where a hook would do the client's own work."""
    hooks = [hook(NO_OPINION, events=("CwdChanged", "WorktreeCreate", "StatusLine"))]

    assert wanted_events([]) == ALWAYS
    assert wanted_events(hooks) == (*ALWAYS, "CwdChanged")


@pytest.mark.parametrize(
    ("handler", "ours"),
    [
        ({"type": "command", "command": "/a b/interlock-hook", "args": []}, True),
        ({"type": "command", "command": "interlock-hook claude-code"}, True),
        ({"type": "command", "command": "'/a b/interlock-hook' --home /x claude-code"}, True),
        (
            {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.claude/interlock-launcher", "args": []},
            True,
        ),
        ({"type": "command", "command": "echo interlock-hook"}, False),
        ({"type": "command", "command": "/bin/interlock-hook-2"}, False),
        ({"type": "command", "command": "it's interlock-hook"}, False),
        ({"type": "command", "command": ""}, False),
        ({"type": "http", "url": "http://interlock-hook"}, False),
        ("interlock-hook", False),
    ],
)
def test_ours_are_told_by_the_program_they_run(handler: Any, ours: bool) -> None:
    """The name of the program counts, wherever it stands and in either form."""
    assert is_ours(handler) is ours


def test_others_stay_where_they_are() -> None:
    """Their order, their keys and groups without handlers are not ours to touch."""
    hooks: dict[str, Any] = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [OTHER], "note": "x"}, {"hooks": []}],
        "Unknown": [{"hooks": [OTHER]}],
    }
    before = copy.deepcopy(hooks)

    after = merge_entries(hooks, OURS)

    assert after["PreToolUse"] == [*before["PreToolUse"], {"hooks": [OURS["PreToolUse"]]}]
    assert after["Unknown"] == before["Unknown"]
    assert hooks == before
    assert remove_entries(after) == before


def test_twice_is_once() -> None:
    """What is in place is not put in again."""
    once = merge_entries({"Stop": [{"hooks": [OTHER]}]}, OURS)

    assert merge_entries(once, OURS) == once


def test_an_old_path_is_renewed_in_its_place() -> None:
    """Also one of several in a group, and duplicates go."""
    old = {"type": "command", "command": "/old/interlock-hook claude-code", "timeout": 5}
    hooks = {"Stop": [{"hooks": [OTHER, old]}, {"hooks": [old]}], "Setup": [{"hooks": [old]}]}

    after = merge_entries(hooks, OURS)

    assert after["Stop"] == [{"hooks": [OTHER, OURS["Stop"]]}]
    assert "Setup" not in after


def test_an_entry_of_ours_below_a_matcher_is_widened() -> None:
    """One that hears only of some tools does not count."""
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [OURS["PreToolUse"]]}]}

    assert merge_entries(hooks, OURS)["PreToolUse"] == [{"hooks": [OURS["PreToolUse"]]}]


@pytest.mark.parametrize("hooks", [{"Stop": {}}, {"Stop": [1]}, {"Stop": [{"hooks": {}}]}, {"Stop": [{}]}])
def test_hooks_of_another_shape_are_refused(hooks: dict[str, Any]) -> None:
    """Nothing is guessed about a file the client cannot read either."""
    with pytest.raises(SettingsError, match=r"hooks\.Stop"):
        merge_entries(hooks, OURS)
