"""Which shape a tool has: written in the policy, from a table, from an MCP list, or learned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from interlock.builtin_hooks.schemas.json_schema import SchemaError, compiled, repaired, wrong
from interlock.builtin_hooks.schemas.learned import Learned
from interlock.builtin_hooks.schemas.mcp_lists import ToolLists
from interlock.builtin_hooks.schemas.required_fields import Shape, example_of, missing
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_KEPT: Final = 256


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of one tool, ready to ask."""

    shape: Shape
    learned: bool = False  # nobody wrote it, so it only advises


class Objection(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a call."""

    lacks: tuple[str, ...]
    faults: tuple[str, ...]

    def told(self, tool: str, known: Known) -> str:
        """In words for the agent, with a call that fits."""
        said = [f"Invalid {tool} call."]
        if self.lacks:
            said.append(f"Missing required fields: {', '.join(self.lacks)}.")
        if self.faults:
            said.append(f"Wrong: {'; '.join(self.faults)}.")
        example = example_of(known.shape)
        return " ".join([*said, f"Example: {example}"] if example else said)


class SchemaBook:
    """Looks shapes up, and compares calls with them."""

    def __init__(self, tools: Mapping[str, Shape], lists: ToolLists, learned: Learned | None) -> None:
        self._written: Final = {name.lower(): shape for name, shape in tools.items()}
        self._suffixes: Final = sorted(self._written, key=len, reverse=True)
        self._lists: Final = lists
        self._learned: Final = learned
        self._compiled: Final[dict[int, tuple[Shape, Validator | None]]] = {}

    def of(self, name: str) -> Known | None:
        """The shape of a tool; None: nobody knows it, and any call is good."""
        shape = self._of_name(name.lower()) or self._of_name(STANDARD_TOOLS.canonical(name).lower())
        shape = shape or self._lists.of(name)
        if shape is not None:
            return Known(shape=shape)
        shape = self._learned.of(name) if self._learned else None
        return Known(shape=shape, learned=True) if shape else None

    def names(self) -> list[str]:
        """Every tool somebody described."""
        return [*self._written, *self._lists.names()]

    def repaired(self, known: Known, given: JsonObject) -> JsonObject | None:
        """The call as it was meant; None: there is nothing to put right without loss."""
        return repaired(known.shape.schema, given) if known.shape.schema else None

    def objection(self, known: Known, given: JsonObject) -> Objection | None:
        """What is wrong with a call; None: it fits."""
        lacks, faults = missing(known.shape, given), list[str]()
        validator = self._validator(known.shape)
        try:
            if validator is not None and not validator.is_valid(given):
                more, faults = wrong(validator, given)
                lacks += [name for name in more if name not in lacks]
        except ValueError:  # a Python agent may hand over anything
            faults = ["the call holds something that is no JSON"]
        return Objection(lacks=tuple(lacks), faults=tuple(faults)) if lacks or faults else None

    def _of_name(self, name: str) -> Shape | None:
        """By the whole name, else by its last words: `mcp__fs__write` is a `write`, `todowrite` is none."""
        exact = self._written.get(name)
        if exact is not None:
            return exact
        return next(
            (
                self._written[end]
                for end in self._suffixes
                if name.endswith(end) and not name[: -len(end)][-1:].isalnum()
            ),
            None,
        )

    def _validator(self, shape: Shape) -> Validator | None:
        if not shape.schema:
            return None
        known = self._compiled.get(id(shape))
        if known is None or known[0] is not shape:
            known = shape, _compiled(shape)
            if len(self._compiled) >= _KEPT:
                self._compiled.clear()
            self._compiled[id(shape)] = known  # the shape is kept with it, so that its id stays its own
        return known[1]


def _compiled(shape: Shape) -> Validator | None:
    """None for a schema of a server that cannot be used: its calls are then as good as any."""
    try:
        return compiled(shape.schema)
    except SchemaError:
        return None
