"""The schemas shipped for editors say what validation says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from interlock.policy.format.json_schema import genesis_schema, hooks_schema, schema_files

SAMPLES = Path(__file__).parents[2] / "samples"


def errors(instance: Any, schema: dict[str, Any]) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    return [error.message for error in validator.iter_errors(instance)]


@pytest.mark.parametrize("path", schema_files(), ids=lambda path: path.name)
def test_the_shipped_file_is_fresh(path: Path) -> None:
    """The file in the package is what the records give today."""
    assert path.read_text() == schema_files()[path]


@pytest.mark.parametrize("schema", [genesis_schema(), hooks_schema()], ids=["genesis", "hooks"])
def test_each_schema_is_one(schema: dict[str, Any]) -> None:
    """Both are valid schemas of their own dialect."""
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.req("M20", "M83")
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.key")), ids=lambda path: path.name)
def test_the_sample_keys_are_valid(path: Path) -> None:
    """Editors accept what its document shows."""
    assert errors(yaml.safe_load(path.read_text()), genesis_schema()) == []


@pytest.mark.req("C55", "C97")
@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_sample_hooks_are_valid(path: Path) -> None:
    """Editors accept what its document shows."""
    assert errors(tomllib.loads(path.read_text()), hooks_schema()) == []


@pytest.mark.req("T06")
@pytest.mark.parametrize(
    "instance",
    [
        {"version": 2.0},
        {"version": "2.0", "permissions": {"actors": {"agent:a": {"denny": []}}}},
        {"version": "2.0", "permissions": {"actors": {"executor": {}}}},
        {"version": "2.0", "hooks": {"pre_tool_us": []}},
        {"version": "2.0", "hooks": {"stop": [{"type": "denny"}]}},
        {"version": "2.0", "hooks": {"stop": [{"type": "deny", "timeout": 5000}]}},
        {"version": "2.0", "hooks": {"stop": [{"type": "command"}]}},
    ],
)
def test_mistakes_in_a_key_are_invalid(instance: Any) -> None:
    """Misspelt keys, events and types are marked while they are typed."""
    assert errors(instance, genesis_schema())


def test_built_in_hooks_are_known_with_their_options() -> None:
    """Each is an entry of its own type: a right option is accepted, a misspelt one marked."""
    right = {"type": "redirect", "config": {"actions": ["test"], "hints": False}}
    key = {"version": "2.0", "hooks": {"pre_tool_use": [right]}}
    wrong = {"version": "2.0", "hooks": {"pre_tool_use": [{"type": "redirect", "config": {"action": []}}]}}

    assert errors(key, genesis_schema()) == []
    assert errors(wrong, genesis_schema())
    assert errors({"version": "2.0", "hooks": {"stop": [{"type": "builtin"}]}}, genesis_schema())


@pytest.mark.req("C61")
@pytest.mark.parametrize(
    "entry",
    [
        {"event": "Stop"},
        {"event": "Stop", "shell": {"command": "x"}, "webhook": {"url": "https://example.com"}},
        {"event": "Stopp", "shell": {"command": "x"}},
        {"event": "Stop", "shell": {}},
    ],
)
def test_mistakes_in_a_hooks_toml_are_invalid(entry: Any) -> None:
    """Neither or both handlers, unknown events and missing commands are marked."""
    assert errors({"hooks": [entry]}, hooks_schema())
