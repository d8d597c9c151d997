"""The texts in what a tool gave back, whichever shape it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

_DEPTH: Final = 12
_BINARY: Final = frozenset({"base64", "signature"})  # members whose texts nobody reads as text


def texts_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text, in order."""
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        for inner in _readable(value):
            yield from texts_in(inner, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for inner in value:
            yield from texts_in(inner, depth + 1)


def with_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """The same shape with every text changed; the very same object when none was."""
    if isinstance(value, str):
        return change(value)
    if depth < _DEPTH and isinstance(value, dict):
        skipped = _is_image(value)
        made = {
            name: inner if skipped or name in _BINARY else with_texts(inner, change, depth + 1)
            for name, inner in value.items()
        }
        return value if all(made[name] is inner for name, inner in value.items()) else made
    if depth < _DEPTH and isinstance(value, list):
        items = [with_texts(inner, change, depth + 1) for inner in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _readable(value: dict[str, Any]) -> Iterator[Any]:
    if not _is_image(value):
        yield from (inner for name, inner in value.items() if name not in _BINARY)


def _is_image(value: dict[str, Any]) -> bool:
    """A picture that stands in a result as letters; a change of one letter would spoil it."""
    return value.get("type") in {"image", "base64"} or value.get("isImage") is True
