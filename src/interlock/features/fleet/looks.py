"""How a status looks: the background of a pane, and whom people look at first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from interlock.features.work.tables.records import FleetRow

# Dark enough to read text on. What waits for a person and what ended unseen are one colour: both want a look.
# Each also as one of 256: a terminal that has no others would show every one of the first kind as black.
_UNCHECKED: Final = ("#081a10", "colour22")
_DONE: Final = ("#0a0a0a", "colour234")
_ERROR: Final = ("#3d2020", "colour52")
BACKGROUNDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "error": _ERROR,
        "gone": _ERROR,
        "attention": _UNCHECKED,
        "unchecked": _UNCHECKED,
        "working": ("#080c10", "colour17"),
        "checked": ("#0a1005", "colour58"),
        "done": _DONE,
        "idle": _DONE,
    }
)
COORDINATOR: Final = ("#1a0a2e", "colour53")
# A coordinator is found by its colour as long as nothing is more urgent than finding it.
_URGENT: Final = frozenset({"error", "gone", "attention", "unchecked"})
WAITING: Final = frozenset({"attention", "unchecked", "gone"})  # what a look changes


def background(row: FleetRow, *, true: bool = True) -> str:
    """The colour of the pane an agent is in, as it is or as one of 256."""
    calm = row.manages and row.shown not in _URGENT
    exact, near = COORDINATOR if calm else BACKGROUNDS[row.shown]
    return exact if true else near


def most_urgent(rows: Iterable[FleetRow]) -> FleetRow | None:
    """The one that stands for several: whom people should look at first."""
    return min(rows, key=lambda row: row.priority, default=None)
