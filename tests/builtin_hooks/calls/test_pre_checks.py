"""Tools that are not to be used, and half a Write, are denied with the way on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool import ToolCall
from interlock.policy.files.read import PolicyText
from interlock.policy.load import load_policy

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - type: pre_checks
      config:
        instead:
          TaskOutput|TaskResult: the result of a task comes to you by itself
          "/(?i).*web_?search.*/": use `mcp__search__query`
          Bash(curl *): use WebFetch
"""
BARE = 'version: "2.0"\nhooks: {pre_tool_use: [{type: pre_checks, config: {CONFIG}}]}\n'


def decide(tmp_path: Path, tool: str, given: dict[str, Any], policy: str = POLICY) -> Decision:
    text = PolicyText(shown=tmp_path / "genesis.key", content=policy.encode())
    engine = Engine(load_policy([(Layer.USER, text)], environ={}).hooks)
    return engine.decide_sync(
        Event(name="PreToolUse", session_id="s", cwd="/w", tool=ToolCall(name=tool, input=given))
    )


@pytest.mark.req("U29")
@pytest.mark.parametrize(
    ("tool", "instead"),
    [
        ("TaskOutput", "comes to you by itself"),
        ("TaskResult", "comes to you by itself"),
        ("WebSearch", "use `mcp__search__query`"),
        ("web_search", "use `mcp__search__query`"),
        ("mcp__other__WEB_SEARCH", "use `mcp__search__query`"),
    ],
)
def test_a_tool_that_is_not_to_be_used_is_denied_with_another(
    tmp_path: Path, tool: str, instead: str
) -> None:
    """The reason names the tool and what to do instead."""
    decision = decide(tmp_path, tool, {"query": "x"})

    assert decision.denied
    assert tool in str(decision.reason)
    assert instead in str(decision.reason)


@pytest.mark.req("U29")
def test_a_pattern_means_every_command_of_a_text(tmp_path: Path) -> None:
    """As every matcher that denies."""
    assert decide(tmp_path, "Bash", {"command": "cd /tmp && curl -s x"}).denied
    assert not decide(tmp_path, "Bash", {"command": "ls"}).denied


@pytest.mark.req("U29")
@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "`file_path` and `content`"),
        ({"file_path": "/w/a"}, "`content`"),
        ({"file_path": "/w/a", "content": None}, "`content`"),
        ({"content": "x"}, "`file_path`"),
        ({"file_path": " ", "content": "x"}, "`file_path`"),
        ({"file_path": 7, "content": "x"}, "`file_path`"),
    ],
)
def test_a_write_without_a_path_or_content_is_denied_with_advice(
    tmp_path: Path, given: dict[str, Any], missing: str
) -> None:
    """What is missing, and how to send a file that was too long."""
    reason = str(decide(tmp_path, "Write", given).reason)

    assert f"Write without {missing} does nothing" in reason
    assert "add to it with Edit" in reason


@pytest.mark.req("U29")
@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "/w/a", "content": "x"}),
        ("Write", {"path": "/w/a", "content": ""}),
        ("Edit", {}),
        ("Read", {"file_path": "/w/a"}),
    ],
)
def test_everything_else_is_none_of_its_business(tmp_path: Path, tool: str, given: dict[str, Any]) -> None:
    """An empty file is a file, and other tools have other fields."""
    assert not decide(tmp_path, tool, given).denied


def test_the_look_at_writes_can_be_left_out(tmp_path: Path) -> None:
    """Some hosts look themselves."""
    assert decide(tmp_path, "Write", {}, BARE.replace("CONFIG", "")).denied
    assert not decide(tmp_path, "Write", {}, BARE.replace("CONFIG", "write: false")).denied


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('instead: {"*": none}', "this would deny every call"),
        ("instead: {Bash(: none}", "Bash("),
        ("instaed: {}", "did you mean `instead`"),
        ('instead: {TaskOutput: ""}', "instead"),
    ],
)
def test_a_mistake_in_its_options_is_told_at_its_place(tmp_path: Path, config: str, said: str) -> None:
    """Nothing loads by half."""
    with pytest.raises(ConfigError) as raised:
        decide(tmp_path, "Read", {}, BARE.replace("CONFIG", config))

    assert said in str(raised.value)
    assert "pre_tool_use[0]" in str(raised.value)
