"""Lines put into a policy file where they belong, everything else in it left as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import yaml

_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9/_.-]+(?::[A-Za-z0-9_.-]+)?")
_STEP: Final = 2
NEW: Final = 'version: "2.0"\n'


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a list, with what is said about it above it."""

    text: str
    comments: tuple[str, ...] = ()


def with_items(content: str, path: Sequence[str], items: Sequence[Line]) -> str | None:
    """The file with items at the head of the list at a path; None where it is written in braces."""
    root = yaml.compose(content, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    node: Any = root
    for depth, key in enumerate(path):
        found = _child(node, key)
        if found is None:
            column = root.start_mark.column if node is root else _column(node)
            return _inserted(content, _line_below(content, node, root), column, path[depth:], items)
        key_node, value = found
        if _is_empty(value):
            column = key_node.start_mark.column + _STEP
            at = key_node.start_mark.line + 1
            return _inserted(content, at, column, path[depth + 1 :], items)
        if getattr(value, "flow_style", False) or isinstance(value, yaml.ScalarNode):
            return None
        node = value
        node.below = key_node.start_mark.line + 1
    return _inserted(content, node.below, node.start_mark.column, (), items)


def _child(node: Any, key: str) -> tuple[Any, Any] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((name, value) for name, value in node.value if name.value == key), None)


def _is_empty(value: Any) -> bool:
    return isinstance(value, yaml.ScalarNode) and value.value == ""


def _column(node: Any) -> int:
    return int(node.value[0][0].start_mark.column)


def _line_below(content: str, node: Any, root: Any) -> int:
    """Where a new key of a mapping goes: first in it, or at the end of the file."""
    return len(content.splitlines()) if node is root else int(node.below)


def _inserted(content: str, at: int, column: int, path: Sequence[str], items: Sequence[Line]) -> str:
    new = []
    for key in path:
        new.append(f"{' ' * column}{key if _PLAIN_KEY.fullmatch(key) else json.dumps(key)}:")
        column += _STEP
    for item in items:
        new += [f"{' ' * column}# {comment}" for comment in item.comments]
        new.append(f"{' ' * column}- {json.dumps(item.text, ensure_ascii=False)}")
    lines = content.splitlines()
    return "\n".join([*lines[:at], *new, *lines[at:]]) + "\n"
