"""Laws of the table of features: a feature imports those it needs, and no others."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import interlock.features
from interlock.features import FEATURES

FOLDER: Final = Path(interlock.features.__file__).parent
PREFIX: Final = "interlock.features."


def imported(name: str) -> set[str]:
    """The other features that the files of one import, wherever they do."""
    found: set[str] = set()
    for file in (FOLDER / name).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
                found.add(str(node.module).split(".")[2])
    return found - {name}


def test_every_folder_is_a_row_of_the_table() -> None:
    """A feature that nobody lists would never be started."""
    folders = {one.parent.name for one in FOLDER.glob("*/__init__.py")}

    assert folders == {one.name for one in FEATURES}


@pytest.mark.parametrize("name", [one.name for one in FEATURES])
def test_a_feature_imports_only_what_it_needs(name: str) -> None:
    """Whoever deletes a folder knows which others go with it."""
    (needs,) = (set(one.needs) for one in FEATURES if one.name == name)

    assert imported(name) <= needs
