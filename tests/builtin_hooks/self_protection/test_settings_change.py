"""Laws of settings that change while the agent runs: what would switch our hooks off is left out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from interlock.builtin_hooks.self_protection.hook import SETTINGS_NAME as NAME
from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.policy.load import load_policy
from interlock.policy.locations import locate
from interlock.policy.protected_paths import guarded_at

OURS: dict[str, Any] = {"type": "command", "command": "/opt/bin/interlock-hook", "args": ["claude-code"]}


def entry(**keys: Any) -> dict[str, Any]:
    """Settings with our entry before tool calls."""
    return {"hooks": {"PreToolUse": [{"hooks": [{**OURS, "timeout": 60, **keys}]}]}}


class Session:
    """A running agent in a project, guarded by entries in the user's settings."""

    def __init__(self, base: Path) -> None:
        self.user = base / "home" / ".claude" / "settings.json"
        self.project = base / "project"
        for folder in (self.user.parent, self.project / ".claude"):
            folder.mkdir(parents=True)
        self.user.write_text(json.dumps(entry()))
        locations = locate({}, home=base / "home", cwd=self.project, uid=os.getuid())
        guarded = guarded_at(locations, {}, home=base / "home", settings=[str(self.user)])
        self.engine = Engine(load_policy([], environ={}, guarded=guarded).pipeline)

    def own(self, name: str = "settings.local.json") -> Path:
        """Settings of the project."""
        return self.project / ".claude" / name

    def changed(self, file: Path, text: str | None) -> Decision:
        """What comes of a file's change, as the agent reports it."""
        if text is None:
            file.unlink()
        else:
            file.write_text(text)
        where = str(self.project)
        told = {"source": "local_settings", "file_path": str(file)}
        event = Event(name="ConfigChange", host="claude-code", cwd=where, project=where, extra=told)
        return self.engine.decide_sync(event)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"disableAllHooks": True}, "`disableAllHooks`"),
        ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "`env.CLAUDE_CODE_SIMPLE`"),
        ({"enabledPlugins": {"interlock@market": False}}, "`enabledPlugins.interlock@market`"),
        (entry(timeout=0.01), "`hooks`"),
        (entry(**{"async": True}), "`hooks`"),
        (entry(asyncRewake=True), "`hooks`"),
    ],
)
def test_a_projects_file_that_switches_hooks_off_is_not_taken_over(
    session: Session, name: str, document: dict[str, Any], key: str
) -> None:
    """With the key and the file, and by this hook."""
    decision = session.changed(session.own(name), json.dumps(document))

    assert (decision.outcome, decision.decided_by) == ("deny", NAME)
    assert f"{key} in `{session.own(name)}`" in str(decision.reason)


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"hooks": {"PreToolUse": 1}}'])
def test_a_file_that_loses_our_entry_is_not_taken_over(session: Session, text: str | None) -> None:
    """Also where it is gone, or nothing that the agent could read."""
    assert session.changed(session.user, text).decided_by == NAME


def test_a_refused_change_does_not_come_with_another(session: Session) -> None:
    """The agent reads all files again when one of them changes."""
    session.own().write_text('{"disableAllHooks": true}')

    assert session.changed(session.own("settings.json"), "{}").decided_by == NAME
    assert session.changed(session.user, json.dumps({**entry(), "model": "opus"})).decided_by == NAME


@pytest.mark.parametrize(
    "document",
    [
        {"model": "opus", "disableAllHooks": False, "permissions": {"allow": ["Bash(ls)"]}},
        {"env": {"CLAUDE_CODE_SIMPLE": ""}, "enabledPlugins": {"other@market": False}},
        {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./notify", "timeout": 1}]}]}},
        {"hooks": [], "env": [], "enabledPlugins": 1},
        entry(),
    ],
)
def test_every_other_change_is_taken_over(session: Session, document: dict[str, Any]) -> None:
    """Of the project's files, and of the user's beside our entry."""
    assert session.changed(session.own(), json.dumps(document)).outcome == "allow"
    assert session.changed(session.user, json.dumps({**document, **entry()})).outcome == "allow"


@pytest.mark.parametrize("text", ["{", "[" * 100_000, None])
def test_what_the_agent_cannot_read_of_a_project_switches_nothing_off(
    session: Session, text: str | None
) -> None:
    """The client skips it."""
    session.own().write_text("{}")

    assert session.changed(session.own(), text).outcome == "allow"


def test_a_change_that_names_no_file_is_left_alone(session: Session) -> None:
    """A skill, or a host that says less."""
    event = Event(name="ConfigChange", host="claude-code", cwd=str(session.project))

    assert session.engine.decide_sync(event).outcome == "allow"
