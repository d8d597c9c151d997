"""Mistakes in settings are named with their place and what they cost."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.hosts.claude_code.lint import lint, url_allowed

COMMAND: dict[str, Any] = {"type": "command", "command": "true"}
HTTP: dict[str, Any] = {"type": "http", "url": "http://127.0.0.1:7777/hook"}


def group(handler: Any, event: str = "PreToolUse", **more: Any) -> dict[str, Any]:
    """Settings with one handler."""
    return {"hooks": {event: [{**more, "hooks": [handler]}]}}


def found(document: dict[str, Any]) -> list[tuple[str, str]]:
    """The weights and places of all findings."""
    return [(str(finding.weight), finding.path) for finding in lint(document)]


HANDLER = "hooks.PreToolUse[0].hooks[0]"


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"hooks": []}, "hooks"),
        ({"hooks": {"Stop": {}}}, "hooks.Stop"),
        ({"hooks": {"Stop": ["x"]}}, "hooks.Stop[0]"),
        ({"hooks": {"Stop": [{}]}}, "hooks.Stop[0].hooks"),
        (group("x"), HANDLER),
        (group({"command": "true"}), f"{HANDLER}.type"),
        (group({**COMMAND, "type": "comand"}), f"{HANDLER}.type"),
        (group({**COMMAND, "type": ["command"]}), f"{HANDLER}.type"),
        (group({"type": "command"}), f"{HANDLER}.command"),
        (group({**COMMAND, "command": None}), f"{HANDLER}.command"),
        (group({"type": "http"}), f"{HANDLER}.url"),
        (group({**HTTP, "url": "/hook"}), f"{HANDLER}.url"),
        (group({"type": "prompt"}), f"{HANDLER}.prompt"),
        (group({"type": "agent"}), f"{HANDLER}.prompt"),
        (group({"type": "mcp_tool", "server": "s"}), f"{HANDLER}.tool"),
        (group({**COMMAND, "timeout": "30"}), f"{HANDLER}.timeout"),
        (group({**COMMAND, "timeout": True}), f"{HANDLER}.timeout"),
        (group({**COMMAND, "timeout": 0}), f"{HANDLER}.timeout"),
        (group({**COMMAND, "args": "x"}), f"{HANDLER}.args"),
        (group({**COMMAND, "shell": "zsh"}), f"{HANDLER}.shell"),
        (group({**COMMAND, "onFailure": "blok"}), f"{HANDLER}.onFailure"),
        (group({**COMMAND, "if": None}), f"{HANDLER}.if"),
        (group({**HTTP, "headers": {"A": 1}}), f"{HANDLER}.headers"),
        (group(COMMAND, matcher=["Bash"]), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher=None), "hooks.PreToolUse[0].matcher"),
        ({"disableAllHooks": "true"}, "disableAllHooks"),
        ({"model": 7}, "model"),
        ({"env": None}, "env"),
        ({"permissions": {"deny": "x"}}, "permissions.deny"),
        ({"permissions": {"defaultMode": 1}}, "permissions.defaultMode"),
        ({"statusLine": {"type": "command"}}, "statusLine"),
        ({"fileSuggestion": {"type": "x", "command": "y"}}, "fileSuggestion"),
        ({"cleanupPeriodDays": True}, "cleanupPeriodDays"),
        ({"allowedHttpHookUrls": "*"}, "allowedHttpHookUrls"),
    ],
)
def test_what_voids_the_file(document: dict[str, Any], path: str) -> None:
    """The client skips the whole file, with everything else that stands in it."""
    assert found(document) == [("void", path)]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (group(COMMAND, "PreToolUsed"), "hooks.PreToolUsed"),
        (group(COMMAND, matcher="Bash(git *)"), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher="Bash(git *)|Write"), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher="*Bash"), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher="Bash("), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher="bash"), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, matcher="mcp__server"), "hooks.PreToolUse[0].matcher"),
        (group({**COMMAND, "if": "Bash(git *)"}, "Stop"), "hooks.Stop[0].hooks[0].if"),
        (group({**COMMAND, "if": "git *"}), f"{HANDLER}.if"),
        (group(HTTP, "SessionStart"), "hooks.SessionStart[0].hooks[0].type"),
        (group({"type": "prompt", "prompt": "ok?"}, "Notification"), "hooks.Notification[0].hooks[0].type"),
        ({"disableAllHooks": True}, "disableAllHooks"),
        ({"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ({"allowedHttpHookUrls": ["https://other/*"], **group(HTTP)}, f"{HANDLER}.url"),
        ({"allowedHttpHookUrls": [], **group(HTTP)}, f"{HANDLER}.url"),
    ],
)
def test_what_never_runs(document: dict[str, Any], path: str) -> None:
    """The file counts, and this part of it does nothing."""
    assert found(document) == [("dead", path)]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (group(COMMAND, matcher="Write,Edit"), "hooks.PreToolUse[0].matcher"),
        (group(COMMAND, "Stop", matcher="Bash"), "hooks.Stop[0].matcher"),
        (group({**COMMAND, "timeout": 30_000}), f"{HANDLER}.timeout"),
        (group({**COMMAND, "once": True}), f"{HANDLER}.once"),
    ],
)
def test_what_runs_otherwise_than_it_reads(document: dict[str, Any], path: str) -> None:
    """It is worth a word, no more."""
    assert found(document) == [("warn", path)]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"permissions": {"deny": ["Bash"], "allow": [1], "defaultMode": "plan"}, "unknown": None},
        {"model": "opus", "env": {"A": 1}, "cleanupPeriodDays": 30, "includeCoAuthoredBy": False},
        {"statusLine": {"type": "command", "command": "x", "padding": 0}, "enabledPlugins": {"a@b": True}},
        group({**COMMAND, "unknown": None, "timeout": 1.5}),
        group(COMMAND, matcher="Bash|Write"),
        group(COMMAND, matcher=""),
        group(COMMAND, matcher="mcp__srv__.*"),
        group(COMMAND, matcher="^(?!Read).*"),
        group(COMMAND, "SessionStart", matcher="startup|resume"),
        group(COMMAND, "Notification", matcher="permission_prompt"),
        group({**COMMAND, "if": "Bash(git *)"}),
        group({**COMMAND, "onFailure": "block"}),
        {"disableAllHooks": False, "allowedHttpHookUrls": ["http://127.0.0.1:*"], **group(HTTP)},
    ],
)
def test_what_is_right_is_not_found_fault_with(document: dict[str, Any]) -> None:
    """No finding for what the client takes as it is meant."""
    assert found(document) == []


def test_every_mistake_is_named_at_once() -> None:
    """Nothing stops at the first."""
    document = {"hooks": {"Stop": [{"hooks": [{"type": "x"}, {"type": "command", "timeout": "1"}]}]}}

    assert found(document) == [
        ("void", "hooks.Stop[0].hooks[0].type"),
        ("void", "hooks.Stop[0].hooks[1].command"),
        ("void", "hooks.Stop[0].hooks[1].timeout"),
    ]


@pytest.mark.parametrize(
    ("url", "pattern", "allowed"),
    [
        ("https://a.example/x", "https://A.example", True),
        ("https://a.example", "https://a.example/", True),
        ("https://a.example:8443/x", "https://a.example", False),
        ("https://a.example:8443/x", "https://a.example:*", True),
        ("https://a.example/x/y", "https://a.example/x/*", True),
        ("https://a.example/X", "https://a.example/x", False),
        ("https://b.example/x", "https://a.example/*", False),
        ("https://a.example.evil/x", "https://a.example", False),
    ],
)
def test_addresses_are_compared_as_the_client_does(url: str, pattern: str, allowed: bool) -> None:
    """Host without case, port exactly, a bare host for every path."""
    assert url_allowed(url, [pattern, 3]) is allowed
