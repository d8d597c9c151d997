"""Laws of the table of features: a feature imports those it needs, and no others."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Final

import pytest

import interlock.features
from interlock.features import FEATURES

FOLDER: Final = Path(interlock.features.__file__).parent
ROOT: Final = Path(__file__).resolve().parent.parent.parent
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


def test_the_contract_lists_exactly_what_features_import() -> None:
    """Each exception of import-linter is still used; a feature may need another without an import of it."""
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in rules if one["name"] == "features do not know each other")
    pairs = {tuple(part.split(".")[2] for part in line.split(" -> ")) for line in contract["ignore_imports"]}

    assert pairs == {(one.name, other) for one in FEATURES for other in imported(one.name)}
    assert pairs <= {(one.name, need) for one in FEATURES for need in one.needs}
    assert {name.split(".")[2] for name in contract["modules"]} == {one.name for one in FEATURES}
