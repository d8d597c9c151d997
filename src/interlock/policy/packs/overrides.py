"""The words a file may say about a rule of a pack: `off`, `shadow`, `ask`, `deny`."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.policy.format.genesis_key import AnyHook, AskConfig, AskHook, CleaningHook, DenyHook
from interlock.policy.settings.packs import PackWord

STRICTNESS: Final[dict[PackWord, int]] = {"off": 0, "shadow": 1, "ask": 2, "deny": 3}


def strictness(entry: AnyHook) -> int:
    """How strict a rule is as it stands; one of several votes counts as its strictest."""
    if not entry.enabled:
        return STRICTNESS["off"]
    if entry.mode == "shadow":
        return STRICTNESS["shadow"]
    return STRICTNESS["ask" if isinstance(entry, AskHook) else "deny"]


def reworded(entry: AnyHook, word: PackWord) -> AnyHook | None:
    """The rule as a word makes it; None when this type cannot do that."""
    if word == "off":
        return msgspec.structs.replace(entry, enabled=False)
    if word == "shadow":
        return msgspec.structs.replace(entry, enabled=True, mode="shadow")
    if isinstance(entry, CleaningHook):
        votes = msgspec.structs.replace(entry.config, outside=word, otherwise=word)
        return msgspec.structs.replace(entry, enabled=True, mode="enforce", config=votes)
    if not isinstance(entry, AskHook | DenyHook):
        return None
    fields = {name: getattr(entry, name) for name in entry.__struct_fields__}
    fields |= {"enabled": True, "mode": "enforce"}
    if word == "ask":
        config = AskConfig(reason=entry.config.reason, suggestion=entry.config.suggestion)
        return AskHook(**{**fields, "config": entry.config if isinstance(entry, AskHook) else config})
    return DenyHook(**fields)
