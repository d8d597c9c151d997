"""The words a file may say about a rule of a pack: `off`, `shadow`, `ask`, `deny`."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.policy.format.kind_entry import KindEntry, entry_record
from interlock.policy.settings.packs import PackWord

STRICTNESS: Final[dict[PackWord, int]] = {"off": 0, "shadow": 1, "ask": 2, "deny": 3}


def strictness(entry: KindEntry) -> int:
    """How strict a rule is as it stands; one of several votes counts as its strictest."""
    if not entry.enabled:
        return STRICTNESS["off"]
    if entry.mode == "shadow":
        return STRICTNESS["shadow"]
    return STRICTNESS["ask" if entry.builtin.kind == "ask" else "deny"]


def reworded(entry: KindEntry, word: PackWord) -> KindEntry | None:
    """The rule as a word makes it; None when this type cannot do that."""
    if word == "off":
        return msgspec.structs.replace(entry, enabled=False)
    if word == "shadow":
        return msgspec.structs.replace(entry, enabled=True, mode="shadow")
    if entry.builtin.reword is None:
        return None
    kind, config = entry.builtin.reword(entry.config, word)
    record = entry_record(kind)
    if record is None:
        return None
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return record(**{**fields, "enabled": True, "mode": "enforce", "config": config})
