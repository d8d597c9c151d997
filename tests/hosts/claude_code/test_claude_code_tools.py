"""The tools of Claude Code under all their names."""

from __future__ import annotations

import pytest

from interlock.events.tool import SubjectKind
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Task", "Agent"),
        ("KillShell", "TaskStop"),
        ("KillBash", "TaskStop"),
        ("BashOutput", "TaskOutput"),
        ("AgentOutputTool", "TaskOutput"),
        ("ListMcpResources", "ListMcpResourcesTool"),
        ("ReadMcpResource", "ReadMcpResourceTool"),
        ("ListPeers", "ListAgents"),
        ("Brief", "SendUserMessage"),
        ("mentu_commit", "mcp__interlock__commit"),
        ("mcp__rig__echo", "mcp__rig__echo"),
        ("bash", "bash"),
    ],
)
def test_a_renamed_tool_is_known_by_both_names(old: str, new: str) -> None:
    """A policy written for the old name means the new one."""
    assert CLAUDE_CODE_TOOLS.canonical(old) == new


@pytest.mark.req("case:C21")
@pytest.mark.parametrize(
    ("name", "main", "kind"),
    [
        ("Bash", "command", SubjectKind.SHELL),
        ("Monitor", "command", SubjectKind.SHELL),
        ("PowerShell", "command", SubjectKind.TEXT),
        ("Write", "file_path", SubjectKind.PATH),
        ("NotebookEdit", "notebook_path", SubjectKind.PATH),
        ("WebFetch", "url", SubjectKind.TEXT),
        ("Agent", "subagent_type", SubjectKind.TEXT),
        ("Skill", "skill", SubjectKind.TEXT),
    ],
)
def test_a_tool_is_read_by_its_main_field(name: str, main: str, kind: SubjectKind) -> None:
    """Shell text is read as shell, paths as paths, and PowerShell is not taken for bash."""
    spec = CLAUDE_CODE_TOOLS.spec(name)

    assert spec is not None
    assert (main, kind) == (spec.main, spec.kind)


def test_whatever_acts_outside_the_conversation_is_not_neutral() -> None:
    """Neutral tools ask, list and plan; none of them runs, writes, fetches or delegates."""
    specs = {name: CLAUDE_CODE_TOOLS.spec(name) for name in STANDARD_TOOLS._specs}
    acting = [
        "Bash",
        "Monitor",
        "PowerShell",
        "Write",
        "Edit",
        "Read",
        "WebFetch",
        "Agent",
        "Skill",
        "TaskStop",
    ]

    assert all(spec is not None for spec in specs.values())
    assert not [name for name in acting if (spec := CLAUDE_CODE_TOOLS.spec(name)) is None or spec.neutral]


@pytest.mark.parametrize("name", STANDARD_TOOLS._specs)
def test_the_standard_names_mean_the_same_here(name: str) -> None:
    """A policy read with the standard table speaks of the same tool, field and kind."""
    standard, own = STANDARD_TOOLS.spec(name), CLAUDE_CODE_TOOLS.spec(name)

    assert standard is not None
    assert own is not None
    assert (standard.name, standard.kind, standard.neutral) == (own.name, own.kind, own.neutral)
    assert standard.main in {own.main, None}
    assert set(standard.fields) <= {own.main, *own.fields}
