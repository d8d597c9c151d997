"""Laws of `git checkout`: a name that is there is a file, and its changes are lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.builtin_hooks.cleaning.deletions import find_discards
from interlock.effects.reading import read_script


def lost(text: str, folder: Path) -> list[str]:
    return list(find_discards(read_script(text, str(folder)).commands))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("git checkout src/a.py", "src/a.py"),
        ("git checkout -q src", "src"),
        ("cd src && git checkout a.py", "a.py"),
        ("git -C src checkout a.py", "a.py"),
        ("sudo git checkout src/a.py", "src/a.py"),
        ("git checkout gone/", "gone/"),
        ("git checkout *.py", "*.py"),
        ("git checkout ':(glob)**/*.py'", ":(glob)**/*.py"),
    ],
)
def test_changes_of_what_is_called_so_are_lost(project: Path, text: str, path: str) -> None:
    """From whatever folder it is named; a glob and a folder's name are not branch."""
    assert lost(text, project) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "git checkout main",
        "git checkout a.py",  # is not in this folder
        "git checkout -b src",
        "git checkout --orphan src",
        "git checkout -p src/a.py",
        "git checkout --theirs src/a.py",
        'git checkout "$branch"',
        'cd "$x" && git checkout src',
        "git log src/a.py",
        "echo git checkout src",
    ],
)
def test_a_branch_is_no_file(project: Path, text: str) -> None:
    """Nor is one that is made; where only the run decides, nothing is said."""
    assert lost(text, project) == []
