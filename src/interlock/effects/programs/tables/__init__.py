"""What common programs do with their options and operands, one table per family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

FAMILIES: Final = (
    "files", "text", "archives", "shells", "wrappers", "git", "packages", "javascript",
    "containers", "cloud", "databases", "network", "system", "build", "editors", "launchers",
    "disks",
)  # fmt: skip


def every_table() -> Iterator[Mapping[str, str]]:
    """All tables, imported only when the first program is looked up."""
    for family in FAMILIES:
        table: Mapping[str, str] = import_module(f"{__name__}.{family}").PROGRAMS
        yield table
