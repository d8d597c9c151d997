"""What clients are told of our tools is what the daemon and the policy know of them."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from interlock.events.tool_table import OWN, STANDARD_TOOLS
from interlock.features.commitments.operations import FIELDS
from interlock.features.mcp.rpc import OPERATIONS, CallArguments, SearchArguments
from interlock.features.mcp.tools import TOOLS, Tool

ENVELOPE = {"source_key", "author_type", "audit", "intent"}
NAMES = [tool.name for tool in TOOLS]


def by_name(name: str) -> Tool:
    """One tool."""
    return next(tool for tool in TOOLS if tool.name == name)


def test_the_server_offers_what_the_daemon_answers() -> None:
    """No tool more and none less, each once."""
    assert [*OPERATIONS, "search", "explain", "request_approval"] == NAMES


@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_a_tools_schema_is_exact_and_its_example_fits(tool: Tool) -> None:
    """A valid schema that takes nothing unknown; the description ends with an example that it accepts."""
    Draft202012Validator.check_schema(tool.input_schema)
    Draft202012Validator.check_schema(tool.output_schema)
    example = re.search(r"Example: (\{.*\})$", tool.description)

    assert example is not None
    assert tool.input_schema["additionalProperties"] is False
    assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])
    Draft202012Validator(tool.input_schema).validate(json.loads(example[1]))
    assert len(tool.description) < 300


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_takes_what_the_daemon_takes(name: str) -> None:
    """Every argument is a field of the operation or says where it comes from; what is needed is the same."""
    schema = by_name(name).input_schema
    fields = FIELDS[name]
    made_here = {"evidence"} if name == "submit" else set()  # from the summary

    assert set(schema["properties"]) - ENVELOPE <= set(fields)
    assert set(schema["required"]) == {key for key, one in fields.items() if one.required} - made_here


def test_the_other_tools_take_what_the_daemon_takes() -> None:
    """The same keys."""
    assert set(by_name("search").input_schema["properties"]) == set(SearchArguments.__struct_fields__)
    for name in ("explain", "request_approval"):
        assert set(by_name(name).input_schema["properties"]) == set(CallArguments.__struct_fields__)


@pytest.mark.req("M53")
@pytest.mark.parametrize("tool", TOOLS, ids=NAMES)
def test_policies_know_each_tool_and_its_fields(tool: Tool) -> None:
    """Under both names, with the field that `mentu_commit(glob)` speaks of."""
    spec = STANDARD_TOOLS.spec(f"{OWN}{tool.name}")

    assert spec is not None
    assert STANDARD_TOOLS.spec(f"mentu_{tool.name}") is spec
    assert {spec.main, *spec.fields} == set(tool.input_schema["properties"])
    assert not spec.neutral
