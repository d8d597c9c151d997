"""Records as documents for programs and as branches of a tree, with what was done under a commitment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.calls.file_change import with_diff
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.commitments.claims import CARRIED
from interlock.features.commitments.constraints import tier_of
from interlock.features.commitments.policy import CommitmentPolicy
from interlock.features.commitments.records import DOMAINS, Code, Commitment, Memory, RefusedError
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.redaction.redactor import Redactor
from interlock.search.question import Fact, commitments_of, fact_word
from interlock.search.search import Among, search_among
from interlock.store.database import open_to_read

_DEEPEST: Final = 100  # levels


def list_commitments(state: State, policy: CommitmentPolicy, params: JsonObject) -> list[JsonObject]:
    """The matching commitments of a workspace, in the order they were made."""
    filters = {name: params.get(name) for name in ("state", "owner", "tag")}
    return [
        row(commitment, state, policy)
        for commitment in state.commitments.values()
        if (filters["state"] is None or commitment.state == filters["state"])
        and (filters["owner"] is None or commitment.owner == filters["owner"])
        and (filters["tag"] is None or filters["tag"] in commitment.tags)
    ]


def row(commitment: Commitment, state: State, policy: CommitmentPolicy) -> JsonObject:
    """A commitment with everything known about it, except what is tied to it."""
    tier = tier_of(commitment, state, policy)
    return {
        **_as_plain(commitment),
        "tier": str(tier),
        "requires_review": policy.waits(tier),
        "failed": DOMAINS.get(commitment.domain or ""),
    }


def show_record(state: State, policy: CommitmentPolicy, name: str) -> JsonObject:
    """One record with what is tied to it."""
    commitment = state.commitments.get(name)
    if commitment is not None:
        tied = {
            "source": _memory(commitment.source, state),
            "evidence": [_memory(evidence, state) for evidence in commitment.evidence],
            "links": [_as_plain(link) for link in state.links.get(name, ())],
            "duplicates": [c.id for c in state.commitments.values() if c.duplicate_of == name],
            "annotations": [_as_plain(note) for note in state.annotations.get(name, ())],
        }
        return {"commitment": row(commitment, state, policy), **tied}
    memory = state.memories.get(name)
    if memory is not None:
        dismissal = state.dismissals.get(name)
        return {
            "memory": {**_as_plain(memory), "state": state.memory_state(name)},
            "commitments": list(state.sources.get(name, ())),
            "dismissal": _as_plain(dismissal) if dismissal else None,
            "annotations": [_as_plain(note) for note in state.annotations.get(name, ())],
        }
    publication = state.publications.get(name)
    if publication is not None:
        return {"publication": _as_plain(publication)}
    raise RefusedError(
        Code.REF_NOT_FOUND,
        f"there is no memory, commitment or publication `{name}` in this workspace",
        "`interlock commitment list` lists the commitments",
        value=name,
    )


def tree(state: State, policy: CommitmentPolicy, name: str | None = None) -> list[JsonObject]:
    """Memories, the commitments made from them, and the evidence."""
    if name is not None and state.record(name) is None:
        raise RefusedError(
            Code.REF_NOT_FOUND,
            f"there is no memory or commitment `{name}` in this workspace",
            "`interlock commitment tree` lists all of them",
            value=name,
        )
    grown = _Tree(state, policy)
    if name is not None:
        return [grown.branch(name)]
    return [grown.branch(root) for root in grown.roots()]


class _Tree:
    """What hangs below each record, worked out once for all branches."""

    def __init__(self, state: State, policy: CommitmentPolicy) -> None:
        self._state: Final = state
        self._policy: Final = policy
        self._below: Final[dict[str, dict[str, str]]] = {}
        self._drawn: Final[set[str]] = set()
        for commitment in state.commitments.values():
            self._hang(commitment.source, commitment.id, "owes")
            for memory_id in commitment.evidence:
                self._hang(commitment.id, memory_id, "evidence")
            if commitment.duplicate_of is not None:
                self._hang(commitment.duplicate_of, commitment.id, "duplicate")
        for links in state.links.values():
            for link in links:
                self._hang(link.target, link.source, link.kind)
        for memory in state.memories.values():
            for ref in memory.refs:
                self._hang(ref, memory.id, "from it")

    def _hang(self, above: str, name: str, how: str) -> None:
        self._below.setdefault(above, {}).setdefault(name, how)

    def roots(self) -> Iterator[str]:
        """The memories that hang below nothing; of a circle of memories, the first."""
        hanging = {name for above, below in self._below.items() for name in below if name != above}
        reached: set[str] = set()
        for free in (True, False):
            for name in self._state.memories:
                if name not in reached and (name not in hanging or not free):
                    self._reach(name, reached)
                    yield name

    def _reach(self, name: str, reached: set[str]) -> None:
        waiting = [name]
        while waiting:
            current = waiting.pop()
            if current not in reached:
                reached.add(current)
                waiting += self._below.get(current, ())

    def branch(self, name: str, how: str = "", above: tuple[str, ...] = ()) -> JsonObject:
        """A record and what hangs below it; when it is met again, only its name.

        Otherwise records that link to each other would be drawn once for every path to them.
        """
        line = (*above, name)
        repeated = name in self._drawn or len(above) >= _DEEPEST
        self._drawn.add(name)
        hanging = {} if repeated else self._below.get(name, {})
        below = [self.branch(child, why, line) for child, why in hanging.items() if child not in line]
        return {"id": name, "how": how, **self._describe(name), "children": below}

    def _describe(self, name: str) -> JsonObject:
        commitment = self._state.commitments.get(name)
        if commitment is not None:
            tier = str(tier_of(commitment, self._state, self._policy))
            owner, body = commitment.owner, commitment.body
            return {"state": str(commitment.state), "owner": owner, "tier": tier, "body": body}
        memory = self._state.memories.get(name)
        if memory is None:
            return {"body": ""}
        return {"kind": memory.kind, "state": self._state.memory_state(name), "body": memory.body}


def _memory(name: str, state: State) -> JsonObject:
    memory: Memory | None = state.memories.get(name)
    return _as_plain(memory) if memory is not None else {"id": name}


def _as_plain(record: msgspec.Struct) -> JsonObject:
    plain: dict[str, Any] = msgspec.to_builtins(record)
    return plain


COMMAND: Final = "command_execution"
FILE: Final = "file_change"
_LISTS: Final = ("commands", "files", "other_evidence", "approvals")
_DEED: Final = "deed"
_AFTER: Final = {str(EventName.POST_TOOL_USE): False, str(EventName.POST_TOOL_USE_FAILURE): True}
_EDITING: Final = {"Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path"} | {
    "NotebookEdit": "notebook_path"
}
_VERDICTS: Final = {"approve": "approved", "reject": "rejected", "reopen": "reopened"}


def work_under(entries: Iterable[Entry]) -> JsonObject:
    """Commands, file changes, other evidence and approvals, in the order they were recorded.

    If a hook kept evidence of a call, it stands for the call; otherwise the host's report does.
    """
    ordered = [(entry, entry.body) for entry in sorted(entries, key=lambda entry: entry.seq)]
    with_evidence = {_call(body, str(body.get("kind"))) for entry, body in ordered if entry.op == "evidence"}
    work: JsonObject = {where: [] for where in _LISTS}
    for entry, body in ordered:
        where, row = _read_entry(entry, body)
        if where and (entry.op != "decision" or _call(body, _KIND[where]) not in with_evidence):
            work[where].append({"seq": entry.seq, "ts": entry.ts, "actor": entry.actor, **row})
    for rows in work.values():
        rows.sort(key=lambda row: str(row["ts"]))  # carried deeds are older than their entries
    return work


def bodies_to_carry(work: JsonObject, name: str) -> list[JsonObject]:
    """What records the deeds of a commitment again before their entries are removed."""
    return [
        {"commitment_id": name, _DEED: {"list": where, "row": {key: row[key] for key in row if key != "seq"}}}
        for where in _LISTS
        for row in work[where]
    ]


_KIND: Final = {"commands": COMMAND, "files": FILE}


def _call(body: JsonObject, kind: str) -> tuple[Any, Any, str]:
    return body.get("session_id"), body.get("tool_use_id"), kind


def _read_entry(entry: Entry, body: JsonObject) -> tuple[str, JsonObject]:
    if entry.op == "evidence":
        return _read_evidence(body)
    if entry.op == CARRIED:
        return _read_carried(body.get(_DEED))
    if entry.op == "decision":
        return _read_report(body)
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


def _read_carried(deed: Any) -> tuple[str, JsonObject]:
    if isinstance(deed, dict) and deed.get("list") in _LISTS and isinstance(deed.get("row"), dict):
        return deed["list"], deed["row"]
    return "", {}


def _read_evidence(body: JsonObject) -> tuple[str, JsonObject]:
    data = body.get("data")
    data = {name: value for name, value in data.items() if name != "actor"} if isinstance(data, dict) else {}
    kind = body.get("kind")
    where = {COMMAND: "commands", FILE: "files"}.get(str(kind))
    return (where, data) if where else ("other_evidence", {"kind": kind, "data": data})


def _read_report(body: JsonObject) -> tuple[str, JsonObject]:
    """What the host reported about a finished call."""
    failed, tool, tool_input = _AFTER.get(str(body.get("event"))), body.get("tool"), body.get("tool_input")
    if failed is None or not isinstance(tool, str) or not isinstance(tool_input, dict):
        return "", {}
    ending: JsonObject = {"failed": True, "error": body.get("error")} if failed else {}
    if isinstance(tool_input.get("command"), str):
        return "commands", {"command": tool_input["command"], **ending}
    path = tool_input.get(_EDITING.get(tool, ""))
    if not isinstance(path, str):
        return "", {}
    if failed:
        return "files", {"path": path, **ending}
    call = ToolCall(name=tool, input=tool_input)
    event = Event(name=str(body["event"]), tool=call, tool_output=body.get("tool_output"))
    return "files", with_diff(event, path)


_MOST: Final = 500  # the newest entries that are shown
_MOST_GOING: Final = 5_000  # entries that one removal carries over


class RecordedWork:
    """Finds what was done under a commitment, in a thread of its own."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def under(self, name: str) -> JsonObject:
        """Commands, file changes, other evidence and approvals; `earlier` says how to find more."""
        return await asyncio.to_thread(self._read, name)

    def carry_over(self, names: Sequence[str], last: int) -> list[JsonObject]:
        """The deeds of commitments in the entries up to one, to record again before those are removed."""
        entries = self._search(names, limit=_MOST_GOING, before=last + 1).entries
        bodies: list[JsonObject] = []
        for name in names:
            own_entries = [entry for entry in entries if name in commitments_of(entry.body)]
            bodies += bodies_to_carry(work_under(own_entries), name)
        return bodies

    def _read(self, name: str) -> JsonObject:
        result = self._search([name], limit=_MOST)
        document = work_under(result.entries)
        if result.before is not None:
            document["earlier"] = f"`interlock ledger search {name} --before {result.before}`"
        # More may count as a secret now than when it was recorded.
        clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(document)))
        return clean

    def _search(self, names: Sequence[str], *, limit: int, before: int | None = None) -> Among:
        def may_give(entry: Entry) -> bool:
            report = entry.op != "decision" or (entry.event or "").startswith("PostToolUse")
            return report and not set(names).isdisjoint(commitments_of(entry.body))

        with closing(open_to_read(self._database)) as ledger:
            return search_among(
                self._database,
                ledger,
                [fact_word(Fact.COMMITMENT, name) for name in names],
                None,
                may_give,
                limit=limit,
                before=before,
            )
