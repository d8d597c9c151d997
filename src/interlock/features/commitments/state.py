"""How everything in one workspace stands: never stored, always replayed from the ledger."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.records import (
    Annotation,
    Commitment,
    Dismissal,
    Link,
    Memory,
    Publication,
)
from interlock.features.commitments.replay import apply
from interlock.ledger.entry import Entry


class State:
    """Records by their names; what happened is never undone, only followed by something else."""

    __slots__ = (
        "annotations",
        "commitments",
        "dismissals",
        "ids",
        "links",
        "memories",
        "publications",
        "source_keys",
        "sources",
        "triages",
    )

    def __init__(self) -> None:
        self.memories: Final[dict[str, Memory]] = {}
        self.commitments: Final[dict[str, Commitment]] = {}
        self.annotations: Final[dict[str, tuple[Annotation, ...]]] = {}  # by what they are about
        self.links: Final[dict[str, tuple[Link, ...]]] = {}  # by the commitment they lead to
        self.sources: Final[dict[str, tuple[str, ...]]] = {}  # memory → the commitments made from it
        self.dismissals: Final[dict[str, Dismissal]] = {}
        self.publications: Final[dict[str, Publication]] = {}
        self.triages: Final[dict[str, Operation]] = {}
        self.source_keys: Final[dict[str, str]] = {}  # key → what was recorded under it
        self.ids: Final[set[str]] = set()

    def after(self, entry: Entry | Operation) -> State:
        """The state once an entry stands; this one stays as it is."""
        later = self.copy()
        later.take(entry)
        return later

    def copy(self) -> State:
        """The same state, to go on from."""
        other = State()
        for name in self.__slots__:
            getattr(other, name).update(getattr(self, name))
        return other

    def take(self, entry: Entry | Operation) -> Operation | None:
        """Go on by one entry and give what it records; for whoever holds this state alone."""
        operation = operation_of(entry) if isinstance(entry, Entry) else entry
        if operation is None or operation.id in self.ids:
            return None  # an import of what is there already changes nothing
        self.ids.add(operation.id)
        if operation.source_key is not None:
            self.source_keys.setdefault(operation.source_key, operation.id)
        apply(self, operation)
        return operation

    def record(self, name: str) -> Memory | Commitment | None:
        """The memory or commitment of this name."""
        return self.memories.get(name) or self.commitments.get(name)

    def memory_state(self, name: str) -> str:
        """What became of a memory: committed, linked, dismissed, or nothing yet."""
        if name in self.sources:
            return "committed"
        if any(link.source == name for links in self.links.values() for link in links):
            return "linked"
        return "dismissed" if name in self.dismissals else "untriaged"


def replayed(entries: Iterable[Entry | Operation]) -> State:
    """The state after all of these, in their order."""
    state = State()
    for entry in entries:
        state.take(entry)
    return state
