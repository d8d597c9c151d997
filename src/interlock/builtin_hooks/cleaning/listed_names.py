"""A word that stands for each name that a command prints: `build/$(ls build)` where a loop reads them."""

from __future__ import annotations

from typing import Final

import msgspec

UNKNOWN: Final = "…"  # the command, where nobody knows it


class Listed(msgspec.Struct, frozen=True, gc=False):
    """A word with one substitution in it."""

    before: str
    run: str  # the command that prints the names
    behind: str
    written: str  # the substitution


def listed_names(text: str) -> Listed | None:
    """A word taken apart at its substitution, or None where it has none."""
    start, opened, closed = text.find("$("), 2, ")"
    if start < 0:
        start, opened, closed = text.find("`"), 1, "`"
    end = text.rfind(closed)
    if start < 0 or end <= start:
        return None
    before, written = text[:start], text[start : end + 1]
    if "$" in before:
        return Listed(before, UNKNOWN, text[end + 1 :], written)
    return Listed(before, written[opened:-1].strip(), text[end + 1 :], written)
