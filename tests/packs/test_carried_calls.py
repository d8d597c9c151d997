"""The packs judge what an MCP tool gives to a shell as they judge the shell itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.packs.corpus import HOME, Row, corpus

from interlock.builtin_hooks.self_protection.hook import NAME
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.policy.load import load_policy

STEP = 9  # every ninth row of the corpora


def decided(engine: Engine, project: str, name: str, fields: dict[str, Any]) -> Vote:
    """What an engine says of a call."""
    call = ToolCall(name=name, input=fields)
    return engine.decide_sync(Event(name="PreToolUse", cwd=project, project=project, tool=call)).vote


@pytest.mark.deep
@pytest.mark.parametrize("name", ["benign", "hostile"])
def test_a_command_is_judged_as_by_the_shell(baseline: Engine, project: str, name: str) -> None:
    """Whichever field it stands in, and whatever the tool is called."""
    rows: list[Row] = [row for row in corpus(name) if row.run is not None][::STEP]

    for row in rows:
        vote = baseline.decide_sync(row.event(project)).vote
        assert decided(baseline, project, "mcp__shell__run_command", {"command": row.run}) is vote, row.run
        assert decided(baseline, project, "mcp__box__go", {"cmd": row.run}) is vote, row.run
        assert decided(baseline, project, "mcp__bash__go", {"script": row.run}) is vote, row.run


@pytest.mark.deep
@pytest.mark.parametrize(
    ("tool", "fields", "vote"),
    [
        ("mcp__x__run", {"command": "rm", "args": ["-rf", "/"]}, Vote.DENY),
        ("mcp__x__run", {"command": ["git", "push", "--force"]}, Vote.DENY),
        ("mcp__python__run", {"code": "import os; os.system('git push --force')"}, Vote.DENY),
        ("mcp__ide__executeCode", {"code": "import shutil; shutil.rmtree('src')"}, Vote.ASK),
        ("mcp__run__javascript", {"code": "fs.rmSync('src', {recursive: true})"}, Vote.ASK),
        ("mcp__postgres__run", {"script": "DROP TABLE users"}, Vote.ASK),
        ("mcp__x__run", {"code": "eval(atob(x))", "language": "node"}, Vote.DENY),
        ("mcp__x__run", {"command": "git status", "path": "src/x"}, Vote.ABSTAIN),
        ("mcp__x__run", {"command": "cat *", "cwd": "src"}, Vote.ABSTAIN),
        ("mcp__python__run", {"code": "import pandas as pd; print(pd.__version__)"}, Vote.ABSTAIN),
        ("mcp__editor__edit", {"command": "view", "path": "src/a.py"}, Vote.ABSTAIN),
        ("mcp__editor__edit", {"command": "create", "path": "src/a.py"}, Vote.ABSTAIN),
        ("mcp__otp__check", {"code": "123456"}, Vote.ABSTAIN),
        ("mcp__docs__search", {"query": "rm -rf /"}, Vote.ABSTAIN),
    ],
)
def test_other_shapes(baseline: Engine, project: str, tool: str, fields: dict[str, Any], vote: Vote) -> None:
    """Lists of words, programs of other languages, and fields that carry nothing."""
    assert decided(baseline, project, tool, fields) is vote


def engine_of(tmp_path: Path, policy: str) -> Engine:
    """An engine with this policy of a user."""
    file = tmp_path / "genesis.key"
    file.write_text(policy)
    policies = load_policy([(Layer.USER, file)], environ={"HOME": HOME, "PATH": "/usr/bin:/bin"})
    return Engine(policies.pipeline)


def test_a_users_rules_and_deny_lists_count_and_their_allow_lists_do_not(tmp_path: Path) -> None:
    """What allows the tool allows it; what is denied to the shell is denied to it."""
    policy = """version: "2.0"
permissions:
  actors:
    "agent:main": {allow: [mcp__shell__run, "Bash(ls *)"], deny: ["Bash(make *)"]}
hooks:
  pre_tool_use:
    - {type: ask, matcher: "Bash(npm *)", if: "tool.input.command.contains('x')"}
"""
    engine = engine_of(tmp_path, policy)
    votes = {
        text: decided(engine, str(tmp_path), "mcp__shell__run", {"cmd": text})
        for text in ("git status", "make all", "npm run x", "npm run y", "kill -9 -1")
    }

    assert votes["git status"] is votes["npm run y"]
    assert votes["git status"] < Vote.ASK
    assert votes["make all"] is Vote.DENY
    assert votes["npm run x"] is Vote.ASK
    assert votes["kill -9 -1"] is Vote.DENY


def test_self_protection_sees_it(tmp_path: Path) -> None:
    """Also in a list of words, which no single field holds."""
    engine = engine_of(tmp_path, 'version: "2.0"\n')
    fields = {"command": "rm", "args": ["-rf", f"{HOME}/.config/interlock"]}
    call = ToolCall(name="mcp__x__run", input=fields)

    decision = engine.decide_sync(Event(name="PreToolUse", cwd=str(tmp_path), tool=call))
    assert (decision.vote, decision.decided_by) == (Vote.DENY, NAME)
