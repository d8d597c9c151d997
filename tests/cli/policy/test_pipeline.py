"""`interlock hooks list`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.typed import SAMPLES, Interlock, policy


def test_without_a_policy_the_next_step_is_named(interlock: Interlock) -> None:
    """A new user is told how to begin."""
    typed = interlock("hooks", "list")

    assert (typed.code, typed.out) == (0, "No hooks. `interlock setup` writes a starter policy.\n")
    assert interlock("hooks", "list", "--json").document["hooks"] == []


def test_the_pipeline_is_listed_in_the_order_it_runs(interlock: Interlock, work: Path) -> None:
    """Layers first, then the order of the file, each with layer, file and line."""
    project = work / ".interlock"
    project.mkdir()
    own = policy(project, 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - {type: deny, name: ours}\n')
    mine = policy(work, 'version: "2.0"\nhooks:\n  stop:\n    - {type: deny, name: mine}\n')
    typed = interlock("hooks", "list", "--config", own, "--config", mine)
    rows = [line.split() for line in typed.out.splitlines()]

    assert rows[0] == ["ORDER", "LAYER", "EVENTS", "HOOK", "TYPE", "MATCHER", "FLAGS", "SOURCE"]
    assert ["1", "user", "Stop", "mine", "deny", "*", "-", f"{mine}:4"] == rows[1]
    assert ["2", "project", "PreToolUse", "ours", "deny", "*", "-", f"{own}:4"] == rows[2]


@pytest.mark.req("M14")
def test_both_formats_make_one_pipeline(interlock: Interlock) -> None:
    """A genesis.key and a hooks.toml are listed together, as values a script can use."""
    files = [str(SAMPLES / name) for name in ("mentu-genesis.key", "cocode-hooks.toml")]
    rows = interlock("hooks", "list", "--config", files[0], "--config", files[1], "--json").document["hooks"]

    assert list(range(1, 10)) == [row["order"] for row in rows]
    assert rows[3]["events"] == ["PostToolUse", "PostToolUseFailure"]
    assert [row["flags"] for row in rows[6:]] == [["can fail open"], [], ["once"]]
    assert {"layer", "hook", "type", "matcher", "if", "timeout", "source"} <= rows[0].keys()


def test_a_project_file_is_not_found_by_itself(interlock: Interlock, work: Path) -> None:
    """A repository is not trusted: its policy counts only when a person names it."""
    (work / ".interlock").mkdir()
    policy(work / ".interlock", 'version: "2.0"\nhooks:\n  stop:\n    - {type: deny}\n')

    assert interlock("hooks", "list", "--json").document["hooks"] == []


def test_a_file_that_is_inherited_and_named_is_one_file(interlock: Interlock, home: Path) -> None:
    """Naming the user's own policy does not load it twice."""
    folder = home / "interlock" / "config"
    folder.mkdir(parents=True)
    own = policy(folder, 'version: "2.0"\nhooks:\n  stop:\n    - {type: deny, name: mine}\n')

    rows = interlock("hooks", "list", "--config", own, "--json").document["hooks"]
    assert [row["hook"] for row in rows] == ["mine"]


def test_rules_are_called_the_same_wherever_a_person_reads_them(interlock: Interlock, work: Path) -> None:
    """The hook behind a list of permissions is `permissions`, an unnamed one its kind; JSON has their ids."""
    rules = "[{type: genesis_enforcement}, {type: deny, matcher: 'Bash(git push *)'}]"
    rights = 'permissions: {actors: {"agent:claude-code": {allow: ["Bash(*)"]}}}'
    file = policy(work, f'version: "2.0"\nhooks: {{pre_tool_use: {rules}}}\n{rights}\n')
    asked, me = ("--isolated", "--config", file), ("--actor", "agent:claude-code")
    push = ("hooks", "simulate", "--tool", "Bash", "--args", "git push", *asked, *me)
    read = [
        interlock("hooks", "list", *asked),
        interlock("explain", "ls", "-v", *asked, *me),
        interlock(*push, "-v"),
    ]
    ids = ["pre_tool_use[0]:genesis_enforcement", "pre_tool_use[1]:deny"]

    assert [line.split()[3] for line in read[0].out.splitlines()[1:]] == ["permissions", "deny"]
    assert "did not match: deny" in read[1].out
    assert "rules\n  allow   permissions  *  " in read[1].out
    assert all("[0]:" not in typed.out + typed.err for typed in read)
    assert [row["hook"] for row in interlock("hooks", "list", *asked, "--json").document["hooks"]] == ids
    assert [row["hook"] for row in interlock(*push, "--json").document["votes"]] == ids
