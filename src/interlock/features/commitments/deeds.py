"""What was done while a commitment was claimed, told from the entries that carry its id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from interlock.builtin_hooks.evidence.file_change import with_diff
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.commitments.carrying import CARRIED
from interlock.ledger.entry import Entry

COMMAND: Final = "command_execution"
FILE: Final = "file_change"
_LISTS: Final = ("commands", "files", "other_evidence", "approvals")
_DEED: Final = "deed"
_AFTER: Final = {str(EventName.POST_TOOL_USE): False, str(EventName.POST_TOOL_USE_FAILURE): True}
_EDITING: Final = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path"} | {
    "NotebookEdit": "notebook_path"
}
_VERDICTS: Final = {"approve": "approved", "reject": "rejected", "reopen": "reopened"}


def deeds_of(entries: Iterable[Entry]) -> JsonObject:
    """Commands, file changes, other evidence and approvals, in the order they were recorded.

    A call whose evidence a hook kept is told by that; of any other the report of its host is enough.
    """
    told = [(entry, entry.body) for entry in sorted(entries, key=lambda one: one.seq)]
    kept = {_call(body, str(body.get("kind"))) for entry, body in told if entry.op == "evidence"}
    found: JsonObject = {where: [] for where in _LISTS}
    for entry, body in told:
        where, row = _row(entry, body)
        if where and (entry.op != "decision" or _call(body, _KIND[where]) not in kept):
            found[where].append({"seq": entry.seq, "ts": entry.ts, "actor": entry.actor, **row})
    for rows in found.values():
        rows.sort(key=_time)  # what was carried over a removal happened before
    return found


def carried_bodies(deeds: JsonObject, name: str) -> list[JsonObject]:
    """What records deeds of a commitment again, before the entries that tell them are removed."""
    return [
        {"commitment_id": name, _DEED: {"list": where, "row": {key: row[key] for key in row if key != "seq"}}}
        for where in _LISTS
        for row in deeds[where]
    ]


def _time(row: JsonObject) -> str:
    return str(row["ts"])


_KIND: Final = {"commands": COMMAND, "files": FILE}


def _call(body: JsonObject, kind: str) -> tuple[Any, Any, str]:
    return body.get("session_id"), body.get("tool_use_id"), kind


def _row(entry: Entry, body: JsonObject) -> tuple[str, JsonObject]:
    if entry.op == "evidence":
        return _evidence(body)
    if entry.op == CARRIED:
        return _carried(body.get(_DEED))
    if entry.op == "decision":
        return _report(body)
    if entry.op == "approval":
        names = ("approval", "state", "by", "authenticated_by", "tool", "reason", "note")
        return "approvals", {name: body[name] for name in names if body.get(name)}
    if entry.op in _VERDICTS:
        note = body.get("comment") or body.get("reason")
        row = {
            "approval": body.get("commitment"),
            "state": _VERDICTS[entry.op],
            "by": entry.actor,
            "note": note,
            "authenticated_by": body.get("authenticated_by"),
        }
        return "approvals", {name: value for name, value in row.items() if value}
    return "", {}


def _carried(deed: Any) -> tuple[str, JsonObject]:
    if isinstance(deed, dict) and deed.get("list") in _LISTS and isinstance(deed.get("row"), dict):
        return deed["list"], deed["row"]
    return "", {}


def _evidence(body: JsonObject) -> tuple[str, JsonObject]:
    data = body.get("data")
    data = {name: value for name, value in data.items() if name != "actor"} if isinstance(data, dict) else {}
    kind = body.get("kind")
    where = {COMMAND: "commands", FILE: "files"}.get(str(kind))
    return (where, data) if where else ("other_evidence", {"kind": kind, "data": data})


def _report(body: JsonObject) -> tuple[str, JsonObject]:
    """What the host reported of a call that ran."""
    failed, tool, given = _AFTER.get(str(body.get("event"))), body.get("tool"), body.get("tool_input")
    if failed is None or not isinstance(tool, str) or not isinstance(given, dict):
        return "", {}
    ending: JsonObject = {"failed": True, "error": body.get("error")} if failed else {}
    if isinstance(given.get("command"), str):
        return "commands", {"command": given["command"], **ending}
    path = given.get(_EDITING.get(tool, ""))
    if not isinstance(path, str):
        return "", {}
    if failed:
        return "files", {"path": path, **ending}
    call = ToolCall(name=tool, input=given)
    event = Event(name=str(body["event"]), tool=call, tool_output=body.get("tool_output"))
    return "files", with_diff(event, path)
