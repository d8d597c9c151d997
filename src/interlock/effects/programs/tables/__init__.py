"""What common programs do with their options and operands, one table per family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

_FAMILIES: Final = (
    "files text shells wrappers git packages javascript containers cloud network system build launchers"
)


def every_table() -> Iterator[Mapping[str, str]]:
    """Yield all tables; they are imported only when the first program is looked up."""
    for family in _FAMILIES.split():
        table: Mapping[str, str] = import_module(f"{__name__}.{family}").PROGRAMS
        yield table
