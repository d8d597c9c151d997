"""The entries of a commitment, found by the index and read in a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.evidence.file_change import with_diff
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.commitments.claims import CARRIED
from interlock.ledger.entry import Entry
from interlock.redaction.redactor import Redactor
from interlock.search.question import Fact, commitments_of, fact_word
from interlock.search.search import Among, search_among
from interlock.store.database import open_to_read

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


_MOST: Final = 500  # entries that are told, the newest
_MOST_GOING: Final = 5_000  # and that are carried over one removal


class Recorded:
    """What was done under a commitment."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def under(self, name: str) -> JsonObject:
        """Commands, file changes, other evidence and approvals; `earlier` says where there are more."""
        return await asyncio.to_thread(self._read, name)

    def going(self, names: Sequence[str], last: int) -> list[JsonObject]:
        """What tells the deeds of commitments again, of those in entries up to one that are about to go."""
        entries = self._search(names, limit=_MOST_GOING, before=last + 1).entries
        return [body for name in names for body in carried_bodies(deeds_of(_of(name, entries)), name)]

    def _read(self, name: str) -> JsonObject:
        found = self._search([name], limit=_MOST)
        told = deeds_of(found.entries)
        if found.before is not None:
            told["earlier"] = f"`interlock ledger search {name} --before {found.before}`"
        # What counts as a secret may have grown since it was recorded.
        clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(told)))
        return clean

    def _search(self, names: Sequence[str], *, limit: int, before: int | None = None) -> Among:
        with closing(open_to_read(self._database)) as ledger:
            return search_among(
                self._database,
                ledger,
                [fact_word(Fact.COMMITMENT, name) for name in names],
                None,
                lambda entry: _tells(entry) and not set(names).isdisjoint(commitments_of(entry.body)),
                limit=limit,
                before=before,
            )


def _of(name: str, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if name in commitments_of(entry.body)]


def _tells(entry: Entry) -> bool:
    return entry.op != "decision" or (entry.event or "").startswith("PostToolUse")
