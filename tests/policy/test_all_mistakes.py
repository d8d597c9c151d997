"""Every mistake of a file is told at once, and each stands at its own line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.typed import typed_for_real

pytestmark = pytest.mark.deep

KEY = """\
version: 2.0
settings: {pakcs: []}
hooks:
  pre_tool_use:
    - {type: denny, matcher: Bash}
    - {type: deny, matcher: "Bash("}
    - {type: deny, matcher: "Bash(", if: "tool.nam == 'x'", config: {raeson: x}}
    - {type: ask, if: "tool.nam == 'x'"}
  pre_tool_us: []
permissions:
  actors:
    agent:a: {alow: [Read], deny: ["Read("]}
    nobody: {deny: [Read]}
    agent:b: {deny: ["Read("]}
"""
TOML = """\
[[hooks]]
event = "PreToolUse"
[hooks.shell]
comand = "x"

[[hooks]]
event = "PreToolUs"
[hooks.shell]
command = "x"
"""


@pytest.mark.req("M16", "M46", "T06")
def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    """Those of shape, of patterns, of conditions and of names, from the first line to the last."""
    file = tmp_path / "genesis.key"
    file.write_text(KEY)
    typed = typed_for_real("genesis", "validate", str(file))

    lines = [line.removeprefix(f"{file}:").split(":")[0] for line in typed.out.splitlines()]
    assert (typed.code, [*map(int, lines)]) == (1, [1, 2, 5, 6, 7, 7, 7, 8, 9, 12, 12, 13, 14])


@pytest.mark.req("M16", "C62")
def test_all_mistakes_of_a_hooks_toml_are_told_at_once(tmp_path: Path) -> None:
    """The second entry keeps its place when the first is wrong."""
    file = tmp_path / "hooks.toml"
    file.write_text(TOML)
    typed = typed_for_real("genesis", "validate", str(file))

    assert "hooks[0].shell.comand: unknown key" in typed.out
    assert "hooks[1].event: unknown event `PreToolUs`" in typed.out
