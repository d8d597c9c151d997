"""Instructions are found from where an agent works up to the root of the project, each once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from interlock.features.work.directives import CORE, SKILL, Directive, discover, touched_folders


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a folder in a folder, below something that is not the project's."""
    folder = tmp_path / "outer" / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    (tmp_path / "outer" / "AGENTS.md").write_text("not ours")
    return folder


def put(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)


def found(root: Path, *folders: str, **options: Any) -> list[str]:
    discovery = discover([str(root / folder) for folder in folders], root=str(root), **options)
    return [str(Path(one.path).relative_to(root)) for one in discovery.directives]


@pytest.mark.req("E66")
def test_directives_are_looked_for_on_the_way_up(root: Path) -> None:
    """From the folder itself to the root, and no further."""
    put(root, "AGENTS.md", "src/INVARIANTS.md", "src/deep/ARCHITECTURE.md", "other/COMMANDS.md")

    assert found(root, "src/deep") == ["src/deep/ARCHITECTURE.md", "src/INVARIANTS.md", "AGENTS.md"]
    assert found(root, ".") == ["AGENTS.md"]


@pytest.mark.req("E66")
def test_the_folder_of_directives_stands_before_the_directory_itself(root: Path) -> None:
    """One name counts once in a directory."""
    put(root, "AGENTS.md", ".directives/AGENTS.md", "INVARIANTS.md")

    assert found(root, ".") == [".directives/AGENTS.md", "INVARIANTS.md"]


@pytest.mark.req("E66")
def test_core_files_count_always_and_others_by_the_list_of_the_skill(root: Path) -> None:
    """Hard ones hold for everyone, soft ones for a skill that asks for them."""
    put(root, *CORE, *SKILL, "README.md")
    kinds = {
        Path(one.path).name: one.kind
        for one in discover([str(root)], root=str(root), skill_names=["TESTING.md"]).directives
    }

    assert kinds == {**dict.fromkeys(CORE, "hard"), "TESTING.md": "soft"}
    assert found(root, ".") == [*CORE, *SKILL]
    assert found(root, ".", skill_names=()) == [*CORE]


@pytest.mark.req("E66")
def test_commands_are_found_too(root: Path) -> None:
    """Those that are named so, in order."""
    put(
        root,
        ".directives/commands/CMD_B.md",
        ".directives/commands/CMD_A.md",
        ".directives/commands/OTHER.md",
    )

    assert found(root, ".") == [".directives/commands/CMD_A.md", ".directives/commands/CMD_B.md"]


@pytest.mark.req("E66")
def test_a_file_reached_in_two_ways_counts_once(root: Path) -> None:
    """By its real path."""
    put(root, "AGENTS.md")
    (root / "src" / "AGENTS.md").symlink_to("../AGENTS.md")
    discovery = discover([str(root / "src"), str(root / "src" / "deep")], root=str(root))

    assert discovery.directives == (Directive(path=str(root / "AGENTS.md"), kind="hard"),)


def test_a_link_to_something_else_is_no_directive(root: Path) -> None:
    """An agent would be made to read it."""
    (root / ".env").write_text("SECRET=1")
    (root / "AGENTS.md").symlink_to(".env")
    (root / "COMMANDS.md").mkdir()

    assert found(root, ".") == []


def test_folders_outside_the_project_are_not_looked_at(root: Path) -> None:
    """Not even through a link inside it."""
    (root / "away").symlink_to(root.parent)

    assert found(root, "..", "away", "/") == []
    assert discover([str(root / "away")], root=str(root)).directories == ()


def test_folders_are_looked_at_once(root: Path) -> None:
    """What was seen before is left out, and what was seen now is said."""
    put(root, "AGENTS.md", "src/INVARIANTS.md")
    first = discover([str(root / "src")], root=str(root))

    assert first.directories == (str(root / "src"), str(root))
    again = discover([str(root / "src" / "deep")], root=str(root), known_folders=first.directories)
    assert (again.directives, again.directories) == ((), (str(root / "src" / "deep"),))


def test_a_call_is_about_the_folder_of_its_file(root: Path) -> None:
    """By a path of its own or from the working folder; other calls are about none."""
    put(root, "src/a.py")

    assert touched_folders({"file_path": str(root / "src/a.py")}, "/") == (str(root / "src"),)
    assert touched_folders({"file_path": "src/new.py"}, str(root)) == (str(root / "src"),)
    assert touched_folders({"path": "src", "pattern": "x"}, str(root)) == (str(root / "src"),)
    for odd in ({}, {"file_path": 7}, {"file_path": ""}, {"file_path": "a\0b"}, {"command": "ls"}):
        assert touched_folders(odd, str(root)) == ()
