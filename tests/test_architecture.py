"""The map of the code is true: every file it names is there, and holds what the map says to look for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
TASKS = PAGE.partition("## Where do I change")[2]
NAMED = sorted({name for name in re.findall(r"`([\w./]+(?:\.\w+|/))`", PAGE) if "/" in name})
ROWS = re.findall(r"^\| ([^|]+) \| `([^`]+)` \| `([^`]+)` \|$", TASKS, re.MULTILINE)


def place(name: str) -> Path:
    """A name of the map stands in the package, else in the repository."""
    inside = ROOT / "src" / "interlock" / name
    return inside if inside.exists() else ROOT / name


@pytest.mark.parametrize("name", NAMED)
def test_every_file_of_the_map_is_there(name: str) -> None:
    """Whoever follows the map gets where it leads."""
    assert place(name).exists()


def test_the_map_answers_at_least_ten_questions() -> None:
    """Otherwise the rows were not found."""
    assert len(ROWS) >= 10


@pytest.mark.parametrize(("task", "file", "word"), ROWS, ids=[task for task, _, _ in ROWS])
def test_a_task_leads_to_the_file_that_holds_it(task: str, file: str, word: str) -> None:
    """The last column stands in the file."""
    assert word in place(file).read_text("utf-8"), task


def test_every_folder_of_the_package_is_on_the_map() -> None:
    """A folder nobody explains is one nobody finds."""
    folders = {
        entry.name for entry in (ROOT / "src" / "interlock").iterdir() if (entry / "__init__.py").exists()
    }

    assert {name for name in folders if f"`{name}/" not in PAGE} == set()
