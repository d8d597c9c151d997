"""Tools under any of their names."""

from __future__ import annotations

import pytest

from interlock.events.tool import SubjectKind, ToolSpec, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("Task", "Agent"),
        ("Agent", "Agent"),
        ("execute_bash_command", "Bash"),
        ("mentu_commit", "mcp__interlock__commit"),
        ("mcp__interlock__commit", "mcp__interlock__commit"),
        ("bash", "bash"),
        ("mcp__github__search", "mcp__github__search"),
    ],
)
def test_a_tool_has_one_canonical_name(name: str, canonical: str) -> None:
    """Aliases meet under one name, and letter case is part of a name."""
    assert STANDARD_TOOLS.canonical(name) == canonical


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("Task", {"Agent", "Task"}),
        ("Agent", {"Agent", "Task"}),
        ("mentu_commit", {"mcp__interlock__commit", "mentu_commit"}),
        ("mcp__interlock__commit", {"mcp__interlock__commit", "mentu_commit"}),
        ("Unheard", {"Unheard"}),
    ],
)
def test_every_name_leads_to_all_of_them(name: str, names: set[str]) -> None:
    """Aliases hold both ways, whichever name a host uses."""
    assert set(STANDARD_TOOLS.names(name)) == names


def test_a_tool_is_found_with_its_main_field() -> None:
    """The table says which field `Tool(glob)` speaks of and how it is read."""
    spec = STANDARD_TOOLS.spec("Bash")

    assert spec is not None
    assert (spec.main, spec.kind) == ("command", SubjectKind.SHELL)
    assert STANDARD_TOOLS.spec("Unheard") is None


def test_a_host_brings_its_own_table() -> None:
    """Nothing about tools is fixed in code."""
    table = ToolTable([ToolSpec(name="shell", main="cmd", kind=SubjectKind.SHELL, aliases=("run",))])

    assert table.canonical("run") == "shell"
    assert table.canonical("Task") == "Task"
