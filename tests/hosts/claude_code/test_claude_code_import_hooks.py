"""Hooks of the client become hooks of a policy, or are listed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.builders import bash, call

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Dialect, Layer
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.import_hooks import import_hooks
from interlock.policy.imported import ImportResult, SkippedPart, policy_text
from interlock.policy.load import load_policy
from interlock.policy.policy import Policy

COMMAND: dict[str, Any] = {"type": "command", "command": "exit 2"}


def settings(handler: dict[str, Any], event: str = "PreToolUse", **group: Any) -> dict[str, Any]:
    """Settings with one handler."""
    return {"hooks": {event: [{**group, "hooks": [handler]}]}}


def loaded(imported: ImportResult, folder: Path) -> Policy:
    """The policy, written, read and compiled."""
    file = folder / "genesis.key"
    file.write_text(policy_text(imported, "settings.json"), encoding="utf-8")
    return load_policy([(Layer.USER, file)], environ=os.environ)


def decided(document: dict[str, Any], event: Event, folder: Path) -> Decision:
    """What the imported policy says of an event."""
    imported = import_hooks(document)
    assert [left for left in imported.left if not left.carried] == []
    return Engine(loaded(imported, folder).hooks).decide_sync(event)


def only(document: dict[str, Any], project: Path | None = None) -> dict[str, Any]:
    """The one entry that came of it."""
    [entries] = import_hooks(document, project).hooks.values()
    [entry] = entries
    return entry


def left(document: dict[str, Any]) -> str:
    """Why the one handler stayed behind."""
    imported = import_hooks(document)
    assert imported.count == 0
    [one] = imported.left
    return one.message


@pytest.mark.deep
def test_a_command_becomes_an_entry_with_the_clients_rules(tmp_path: Path) -> None:
    """Its time is the client's, exit 2 denies, and a crash lets pass as it did."""
    entry = only(settings(COMMAND))

    assert entry == {"type": "command", "dialect": "claude", "timeout": 600, "config": {"command": "exit 2"}}
    assert loaded(import_hooks(settings(COMMAND)), tmp_path).hooks[0].dialect is Dialect.CLAUDE
    assert decided(settings(COMMAND), bash("ls"), tmp_path).vote is Vote.DENY
    crash = settings({**COMMAND, "command": "exit 1"})
    assert decided(crash, bash("ls"), tmp_path).vote is not Vote.DENY


def test_it_hears_of_one_event_only(tmp_path: Path) -> None:
    """A policy's own entry after a tool call also hears of failures; the client's never did."""
    policy = loaded(import_hooks(settings(COMMAND, "PostToolUse")), tmp_path)

    assert policy.hooks[0].events == ("PostToolUse",)


@pytest.mark.parametrize(
    ("matcher", "rule", "text"),
    [
        (None, None, None),
        ("*", None, None),
        ("Bash", None, "Bash"),
        ("Write, Edit|Read", None, "Write|Edit|Read"),
        ("mcp__srv__.*", None, "/mcp__srv__.*/"),
        ("^Ba", None, "/^Ba/"),
        ("Bash", "Bash(git *)", "Bash(git *)"),
        (None, "Bash(git:*)", "Bash(git *)"),
        ("B.*", "Bash(rm -rf *)", "Bash(rm -rf *)"),
        ("Task", "Agent", "Agent"),
        ("Edit", "Edit(src/**)", "Edit(src/*)"),
        (
            "WebFetch",
            "WebFetch(domain:a.example)",
            "WebFetch(*://a.example)|WebFetch(*://a.example/*)|WebFetch(*://a.example:*)",
        ),
    ],
)
def test_matchers_mean_the_same(
    tmp_path: Path, matcher: str | None, rule: str | None, text: str | None
) -> None:
    """Names, expressions and rules are said in a policy's words, and load."""
    handler = {**COMMAND, **({"if": rule} if rule else {})}
    document = settings(handler, **({} if matcher is None else {"matcher": matcher}))

    assert only(document).get("matcher") == text
    assert len(loaded(import_hooks(document), tmp_path).hooks) == 1


@pytest.mark.deep
@pytest.mark.parametrize(
    ("event", "matcher", "extra", "fires"),
    [
        ("SessionEnd", "clear|logout", {"reason": "logout"}, True),
        ("SessionEnd", "clear|logout", {"reason": "other"}, False),
        ("PreCompact", "man.*", {"trigger": "manual"}, True),
        ("PreCompact", "man.*", {"trigger": "auto"}, False),
    ],
)
def test_a_matcher_without_a_tool_becomes_a_condition(
    tmp_path: Path, event: str, matcher: str, extra: dict[str, str], fires: bool
) -> None:
    """It is compared with the field the client compares it with."""
    document = settings(COMMAND, event, matcher=matcher)

    decision = decided(document, Event(name=event, session_id="s", extra=extra), tmp_path)

    assert any(row.vote is Vote.DENY for row in decision.trace) is fires


def test_the_exec_form_keeps_its_words_apart(tmp_path: Path) -> None:
    """A shell runs it here, and sees each argument as one."""
    handler = {"type": "command", "command": "printf", "args": ["%s.", "a b", "$HOME", "it's", ""]}

    assert only(settings(handler))["config"]["command"] == "printf %s. 'a b' '$HOME' 'it'\"'\"'s' ''"


@pytest.mark.deep
def test_the_projects_folder_is_filled_in(tmp_path: Path) -> None:
    """A project's hook finds its scripts where they are; a user's is told what changed."""
    handler = {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/check", "args": ["x"]}
    (tmp_path / "check").write_text("#!/bin/sh\necho no >&2; exit 2\n")
    (tmp_path / "check").chmod(0o755)
    mine, users = import_hooks(settings(handler), tmp_path), import_hooks(settings(handler))

    decision = Engine(loaded(mine, tmp_path).hooks).decide_sync(bash("ls", cwd="/"))

    assert decision.vote is Vote.DENY
    assert mine.left == ()
    assert [one.carried for one in users.left] == [True]


def test_an_http_handler_becomes_a_webhook(tmp_path: Path) -> None:
    """Variables it may use are released, others become empty as they did."""
    handler = {
        "type": "http",
        "url": "https://hooks.example/x",
        "headers": {"Authorization": "Bearer $TOKEN", "X-Other": "<${SECRET}>"},
        "allowedEnvVars": ["TOKEN"],
        "timeout": 5,
    }

    assert only(settings(handler)) == {
        "type": "webhook",
        "dialect": "claude",
        "timeout": 5,
        "pass_env": ["TOKEN"],
        "config": {
            "url": "https://hooks.example/x",
            "headers": {"Authorization": "Bearer ${TOKEN}", "X-Other": "<>"},
        },
    }
    assert loaded(import_hooks(settings(handler)), tmp_path).hooks


@pytest.mark.parametrize(
    ("host", "private"),
    [("10.0.0.1", True), ("[fd00::1]", True), ("127.0.0.1", False), ("8.8.8.8", False), ("h.example", False)],
)
def test_a_private_address_stays_allowed_as_it_was(host: str, private: bool) -> None:
    """Only where it is written as a number, as the client has it."""
    entry = only(settings({"type": "http", "url": f"http://{host}/x"}))

    assert entry["config"].get("allow_private", False) is private


@pytest.mark.req("C75")
@pytest.mark.parametrize(("kind", "seconds"), [("prompt", 30), ("agent", 60)])
def test_a_question_to_a_model_stays_one(tmp_path: Path, kind: str, seconds: int) -> None:
    """No answer lets the call pass, as the client has it; that it needs a key of one's own is said."""
    document = settings({"type": kind, "prompt": "ok? $ARGUMENTS", "model": "m-1"}, matcher="Bash")
    imported = import_hooks(document)

    assert imported.hooks["pre_tool_use"] == [
        {
            "type": kind,
            "matcher": "Bash",
            "timeout": seconds,
            "on_failure": "open",
            "config": {"prompt": "ok? $ARGUMENTS", "model": "m-1"},
        }
    ]
    assert [one.carried for one in imported.left] == [True]
    assert loaded(imported, tmp_path).hooks


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (settings({"type": "mcp_tool", "server": "s", "tool": "t"}), "MCP"),
        (settings({**COMMAND, "async": True}), "background"),
        (settings({**COMMAND, "shell": "powershell"}), "PowerShell"),
        (settings({**COMMAND, "command": "${CLAUDE_PLUGIN_ROOT}/x"}), "plugin"),
        (settings(COMMAND, "NoSuchEvent"), "no event"),
        (settings(COMMAND, "WorktreeCreate"), "own work"),
        (settings({"type": "http", "url": "http://h/x"}, "SessionStart"), "never ran"),
        (settings(COMMAND, matcher="^(?!Read)"), "has no equivalent"),
        (settings(COMMAND, "PreCompact", matcher="^(?!manual)"), "RE2"),
        (settings(COMMAND, "FileChanged", matcher="a.txt"), "watch"),
        (settings({**COMMAND, "if": "Bash(ls)"}, "Stop"), "never"),
        (settings({**COMMAND, "if": "Bash(ls)"}, matcher="Write"), "never ran"),
        (settings({**COMMAND, "if": "Edit(/abs/**)"}), "yourself"),
        (settings({**COMMAND, "timeout": "30"}), "skips this whole file"),
    ],
)
def test_what_cannot_be_carried_over_is_listed(document: dict[str, Any], why: str) -> None:
    """Nothing is dropped without a word."""
    assert why in left(document)


def test_ours_are_not_imported() -> None:
    """Interlock does not run itself."""
    document = settings({"type": "command", "command": "/x/interlock-hook", "args": ["claude-code"]})

    assert import_hooks(document) == ImportResult(hooks={}, left=())


def test_a_comment_cannot_become_policy() -> None:
    """What was left behind is said in one line each, whatever it holds."""
    text = policy_text(
        ImportResult(hooks={}, left=(SkippedPart(path="a\nb: c", message="d\ne: f"),)), "settings.json"
    )

    assert yaml.safe_load(text) == {"version": "2.0"}


def test_a_time_beyond_ours_is_cut_and_said() -> None:
    """600 seconds at most."""
    imported = import_hooks(settings({**COMMAND, "timeout": 900}))

    assert imported.hooks["pre_tool_use"][0]["timeout"] == 600
    assert imported.left[0].carried


@pytest.mark.deep
def test_a_regular_expression_meets_the_same_tools(tmp_path: Path) -> None:
    """Unanchored, as the client's."""
    document = settings(COMMAND, matcher="^mcp__(a|b)__")

    assert decided(document, call("mcp__b__x", tool_input={}), tmp_path).vote is Vote.DENY
    assert decided(document, call("mcp__c__x", tool_input={}), tmp_path).vote is not Vote.DENY
