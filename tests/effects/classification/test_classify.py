"""Laws of classification: the table first, then what is known, then words; what nobody knows is external."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builders import bash, call, view

from interlock.effects.classification.classify import (
    Classified,
    Classifier,
    Replay,
    SideEffect,
    ToolRule,
    ToolRules,
)
from interlock.events.event import Event
from interlock.features.receipts.settings import shipped_rules


def classified(event: Event, *rules: ToolRule, shipped: bool = True) -> Classified:
    """The class of a call under some rules before those that are shipped."""
    assert event.tool is not None
    table = ToolRules((*rules, *(shipped_rules() if shipped else ())))
    return Classifier(table).classify(event.tool, view(event))


def tool(name: str, **fields: Any) -> Event:
    """A call of a tool."""
    return call(name, tool_input=fields)


@pytest.mark.req("U27")
@pytest.mark.parametrize(
    ("command", "effect", "word"),
    [
        ("ls -la; cat a | grep b", "read_only", "read"),
        ("git status && git log -3", "read_only", "read"),
        ("cat a > /dev/null", "read_only", "read"),
        ("cat a > b", "local", "write"),
        ("ls; touch x", "local", "write"),
        ("sudo rm -r build", "local", "delete"),
        ("find . -name '*.pyc' -delete", "local", "delete"),
        ("git commit -m x", "local", "write"),
        ("kill 17", "local", "run"),
        ("git tag v1", "local", "run"),
        ("curl https://example.org/x", "external", "network"),
        ("echo hi | mail bob@example.org", "external", "network"),
        ("git push", "external", "network"),
        ("./deploy.sh", "external", "run"),
        ("ls; python send.py", "external", "run"),
        ("ls | tee c", "local", "write"),
        ("rsync -a a b", "local", "write"),
        ("rsync -a a host:b", "external", "network"),
        ("timeout 5 frobnicate", "external", "run"),
        ("python -c 'import smtplib'", "external", "unread"),
        ("ls $(cat <(", "external", "unread"),
    ],
)
def test_a_shell_command_is_classed_by_what_it_does(command: str, effect: str, word: str) -> None:
    """Never by its first word: the whole text is read."""
    found = classified(bash(command))

    assert (found.effect, found.matched, found.rule) == (effect, "reading", word)
    assert found.replay is (Replay.IDEMPOTENT if effect == "read_only" else Replay.EXACT)
    assert classified(call("execute_bash_command", tool_input={"command": command})).effect == effect


@pytest.mark.req("U27")
@pytest.mark.parametrize(
    ("name", "effect", "matched", "replay"),
    [
        ("Read", "read_only", "known", "REPLAY_IDEMPOTENT"),
        ("WebFetch", "read_only", "known", "REPLAY_IDEMPOTENT"),
        ("Write", "local", "known", "REPLAY_EXACT"),
        ("Task", "local", "known", "RELAUNCH"),
        ("Agent", "local", "known", "RELAUNCH"),
        ("PowerShell", "external", "known", "REPLAY_EXACT"),
        ("mcp__gmail__send_email", "external", "policy", "REPLAY_EXACT"),
        ("mcp__gmail__search_threads", "read_only", "policy", "REPLAY_IDEMPOTENT"),
        ("mcp__memory__create_entities", "memory", "policy", "REPLAY_EXACT"),
        ("mcp__memory__search_nodes", "read_only", "policy", "REPLAY_IDEMPOTENT"),
        ("mcp__filesystem__write_file", "local", "policy", "REPLAY_EXACT"),
        ("mcp__crm__listContacts", "read_only", "verb", "REPLAY_IDEMPOTENT"),
        ("mcp__crm__get_or_create_contact", "external", "verb", "REPLAY_EXACT"),
        ("mcp__crm__DELETE_CONTACT", "external", "verb", "REPLAY_EXACT"),
        ("mcp__notes__remember_update", "memory", "verb", "REPLAY_EXACT"),
        ("mcp__crm__frobnicate", "external", "default", "REPLAY_EXACT"),
        ("Frobnicate", "external", "default", "REPLAY_EXACT"),
        ("GMAIL_SEND_EMAIL", "external", "verb", "REPLAY_EXACT"),
    ],
)
def test_a_tool_is_classed_by_table_then_by_name_then_by_words(
    name: str, effect: str, matched: str, replay: str
) -> None:
    """And what only reads may be repeated, a launch begins anew, all else is exact."""
    found = classified(tool(name))

    assert (found.effect, found.matched, found.replay) == (effect, matched, replay)


@pytest.mark.req("U27")
def test_a_rule_stands_before_what_is_known_and_the_first_that_fits_wins() -> None:
    """Whole names in any case, by namespace."""
    quiet = ToolRule(id="quiet", namespace="host", tools="bash", effect=SideEffect.READ_ONLY)
    later = ToolRule(id="later", tools=".*", effect=SideEffect.MEMORY, replay=Replay.RELAUNCH)

    assert classified(bash("rm -rf x"), quiet, later).rule == "quiet"
    assert classified(tool("BashX"), quiet, later).rule == "later"
    assert classified(tool("mcp__a__Bash"), quiet, later).rule == "later"
    assert classified(tool("Read"), quiet, later).replay is Replay.RELAUNCH


@pytest.mark.parametrize("wrong", ["(", "a{1001}", r"(?<=x)y"])
def test_a_wrong_expression_is_refused_in_words(wrong: str) -> None:
    """Also one that needs more than linear time."""
    with pytest.raises(ValueError, match="is not an RE2 expression"):
        ToolRules([ToolRule(id="x", tools=wrong, effect=SideEffect.LOCAL)])
