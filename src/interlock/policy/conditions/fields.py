"""The fields a condition may read: one that nothing ever has is a mistake, not a null."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from interlock.errors import ConditionError
from interlock.policy.conditions.syntax import FieldPath
from interlock.policy.files.suggest import hint

# What each name has; of `actor` there is only the name itself.
FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "event": (
        *("name", "session_id", "cwd", "host", "prompt", "permission_mode"),
        *("agent_id", "agent_type", "error", "extra"),
    ),
    "tool": ("name", "input", "use_id"),
    "actor": (),
    "session": ("id", "heartbeat_counter", "context_usage"),
    "effort": ("id", "skill", "mode", "phase", "ordinal", "task"),
    "commitment": (
        *("id", "state", "tier", "tags", "body", "requires_review", "owner", "evidence", "sent_back"),
    ),
}
# Below these stands what hosts and tools send, which nobody has listed.
_OPEN: Final = frozenset({("tool", "input"), ("event", "extra")})


# The field that people mean who write the whole record; the actor is a text itself.
_MEANT: Final = {
    "event": "name",
    "tool": "name",
    "session": "id",
    "effort": "skill",
    "commitment": "state",
}


def check_texts(roots: Iterable[str]) -> None:
    """Refuse a record in the place of a text, which it never equals."""
    for root in sorted(roots):
        if root in _MEANT:
            raise ConditionError(
                f"`{root}` is not text; compare one of its fields, as in `{root}.{_MEANT[root]}`"
            )


def check_fields(paths: Iterable[FieldPath]) -> None:
    """Refuse a field that no event can have."""
    for root, *fields in paths:
        if not fields:
            continue
        first, *further = fields
        known = FIELDS[root]
        if first not in known:
            cure = hint(first, known) if known else f"compare `{root}` itself"
            raise ConditionError(f"`{root}` has no field `{first}`; {cure}")
        if further and (root, first) not in _OPEN:
            whole = f"{root}.{first}"
            raise ConditionError(f"`{whole}` has no field `{further[0]}`; compare `{whole}` itself")
