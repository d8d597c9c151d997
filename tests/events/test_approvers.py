"""Whom an ask names, from the hook to the decision."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.tool import ToolCall
from interlock.policy.load import load_policy

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {type: ask, matcher: "Bash(git *)"}
    - {type: ask, matcher: "Bash(git push *)", config: {reason: ready?, approvers: [human:rashid, human:ann]}}
    - {type: ask, matcher: "Bash(* --force)", config: {approvers: [human:ann]}}
    - {type: ask, matcher: "Bash(* --force)", config: {approvers: [human:bob]}, mode: shadow}
    - {type: deny, matcher: "Bash(* --mirror)"}
    - {type: genesis_enforcement, config: {approvers: [human:rashid]}}
permissions:
  actors:
    agent:main: {allow: ["Bash(git *)", "Bash(ls)"]}
"""


def decide(tmp_path: Path, command: str) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """What is decided, and whom it names."""
    file = tmp_path / "genesis.key"
    file.write_text(POLICY)
    policy = load_policy([(Layer.USER, file)], environ={"PATH": "/usr/bin"})
    call = ToolCall(name="Bash", input={"command": command})
    decision = Engine(policy.pipeline).decide_sync(Event(name="PreToolUse", cwd="/w", tool=call))
    return decision.outcome, decision.approvers


@pytest.mark.req("Z03")
@pytest.mark.parametrize(
    ("command", "outcome", "named"),
    [
        ("git status", "ask", ()),
        ("git push x", "ask", (("human:rashid", "human:ann"),)),
        ("git push --force", "ask", (("human:rashid", "human:ann"), ("human:ann",))),
        ("git push --mirror", "deny", ()),
        ("ls", "allow", ()),
        ("ls '", "ask", (("human:rashid",),)),
    ],
)
def test_every_hook_that_asks_and_names_somebody_counts(
    tmp_path: Path, command: str, outcome: str, named: tuple[tuple[str, ...], ...]
) -> None:
    """Also where another asked first; a shadow names nobody, and neither does an ask that a deny outvoted."""
    assert decide(tmp_path, command) == (outcome, named)
