"""Every role that hooks have in the picture of a guarded agent is one of ours, at its moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.events.hook import Layer
from interlock.policy.load import load_policy

POLICY = """
version: "2.0"
permissions:
  actors: {agent:main: {allow: ["Read(*)"]}}
hooks:
  pre_tool_use:
    - {name: genesis enforcement, type: genesis_enforcement}
    - {name: resource check, type: resource_check}
    - {name: input sanitising, type: input_sanitization}
  post_tool_use:
    - {name: evidence capture, type: evidence_capture, config: {kind: file_change}}
    - {name: ledger annotation, type: ledger_annotation, config: {labels: [x]}}
    - {name: output formatting, type: format_output}
  stop:
    - {name: approval gate, type: approval_gate, config: {}}
    - {name: final validation, type: final_validation}
"""
ROLES = {
    "PreToolUse": {"genesis enforcement", "resource check", "input sanitising"},
    "PostToolUse": {"evidence capture", "ledger annotation", "output formatting"},
    "Stop": {"approval gate", "final validation"},
}


@pytest.mark.req("M5")
def test_all_eight_roles_stand_in_one_policy(tmp_path: Path) -> None:
    """Three before a call, three after it, two before the end."""
    file = tmp_path / "genesis.key"
    file.write_text(POLICY)
    hooks = load_policy([(Layer.USER, file)], environ={}).hooks

    for event, roles in ROLES.items():
        assert roles <= {hook.name for hook in hooks if event in hook.events}
