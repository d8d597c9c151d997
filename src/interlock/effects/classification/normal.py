"""The arguments of a call without what differs although the call is the same."""

from __future__ import annotations

import json
from typing import Any, Final

from interlock.events.tool import JsonObject

# Fields that name one try of a call and not the call; compared without case, dashes and underscores.
TRY_FIELDS: Final = frozenset(
    {
        "idempotencykey",
        "xidempotencykey",
        "idempotencytoken",
        "clientrequestid",
        "clienttoken",
        "clientrequesttoken",
        "requestid",
        "tooluseid",
        "toolcallid",
    }
)
# What a host's own tools are told beside what they do: labels and patience.
_LABELS: Final[dict[str, frozenset[str]]] = {
    "Bash": frozenset({"description", "timeout"}),
    "Agent": frozenset({"description"}),
    "Monitor": frozenset({"description", "timeout_ms"}),
}


def normalised(tool: str, fields: JsonObject, same_by: tuple[str, ...] = ()) -> JsonObject:
    """The fields that make the call what it is; with `same_by`, only those."""
    labels = _LABELS.get(tool, frozenset())
    chosen = {name: value for name, value in fields.items() if name not in labels}
    if same_by:
        chosen = {name: fields[name] for name in same_by if name in fields}
    found: JsonObject = _without_tries(chosen)
    return found


def canonical(value: Any) -> bytes:
    """The one way to write a JSON value: sorted keys, no spaces, ASCII; raise ValueError for no JSON."""
    try:
        written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the arguments are not JSON: {error}") from error
    return written.encode("ascii")


def _without_tries(value: Any) -> Any:
    if isinstance(value, dict):
        kept = (pair for pair in value.items() if _folded(pair[0]) not in TRY_FIELDS)
        return {name: _without_tries(inner) for name, inner in kept}
    return [_without_tries(inner) for inner in value] if isinstance(value, list | tuple) else value


def _folded(name: object) -> str:
    return name.replace("_", "").replace("-", "").lower() if isinstance(name, str) else ""
