"""What stands in a policy file, and on which line: one tree for YAML and TOML."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import msgspec

from interlock.errors import Problem

Scalar: TypeAlias = str | bool | int | float | dt.date | dt.time | None
Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH: Final = 64
_SHOWN: Final = 60


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A value and its line; below a key that is the key's line."""

    value: Scalar | list[Node] | dict[str, Node]
    line: int
    text: str = ""  # a scalar as it was written, for messages

    @property
    def kind(self) -> str:
        """What people call this kind of value."""
        return _kind(self.value)

    @property
    def found(self) -> str:
        """The value in words, short enough for a message."""
        if isinstance(self.value, dict | list) or self.value is None:
            return self.kind
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return f"{self.kind} `{shown}`" if shown else "an empty string"

    def plain(self) -> Any:
        """The same value without lines."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """One file's tree, able to say where a problem stands."""

    file: str
    root: Node

    def at(self, path: Path) -> Node:
        """The node a path leads to, or the last one on the way that exists."""
        *_, last = self._along(path)
        return last

    def problem(self, path: Path, message: str) -> Problem:
        """A mistake at a path of this file."""
        return Problem(file=self.file, line=self.at(path).line, path=path_text(path), message=message)

    def _along(self, path: Path) -> Iterator[Node]:
        node = self.root
        yield node
        for step in path:
            if isinstance(node.value, dict) and step in node.value:
                node = node.value[str(step)]
            elif isinstance(node.value, list) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
            else:
                return
            yield node


def path_text(path: Path) -> str:
    """Write a path as people point at it: `hooks.pre_tool_use[0].type`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            # A key that holds our own punctuation is quoted, so that the path stays readable.
            name = f'"{step}"' if not step or set(step) & set(".[] \n") else step
            text += f".{name}" if text else name
    return text


def _kind(value: object) -> str:
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "the boolean"),  # before int, of which bool is one
        ((int, float), "the number"),
        (str, "the string"),
        (dict, "a mapping"),
        (list, "a list"),
        ((dt.date, dt.time), "the date"),
    )
    return next((name for types, name in kinds if isinstance(value, types)), "nothing")
