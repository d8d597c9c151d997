"""What of the ledger an agent may see: what its own session did, and the commitments of its workspace."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.events.tool_table import OWN
from interlock.features.commitments.operation import IMPORTED, KNOWN, operation_of
from interlock.ledger.entry import Entry
from interlock.redaction.redactor import Redactor
from interlock.search.question import Fact, Question, excerpt, fact_word, parse_question, texts_of
from interlock.search.search import search_among
from interlock.store.database import open_to_read

# Of its own session; what guards others (alarms, refusals, gaps) is not among it.
OF_SESSION: Final = frozenset({"decision", "evidence", "approval", *KNOWN})
OF_WORKSPACE: Final = frozenset({*KNOWN, IMPORTED})
OPS: Final = tuple(sorted(OF_SESSION | OF_WORKSPACE))
_SHOWN: Final = 160
# Members that are short, of use to a model, and tell nothing of how the gate works.
_MEMBERS: Final = (
    *("event", "tool", "decision", "reason", "decided_by", "kind", "approval", "state", "by"),
    *("body", "commitment", "target", "source", "evidence", "duplicate_of", "summary", "tags", "refs"),
)
_TELLING: Final = ("body", "input", "prompt", "data", "call", "summary", "reason", "state", "commitment")
_LONGEST: Final = 2_000


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for."""

    text: str | None = None
    op: str | None = None
    limit: int = 10
    before: int | None = None


class OwnEntries:
    """Searches in a thread of its own: the index may have to be brought up to date first."""

    def __init__(self, database: Path, redactor: Redactor) -> None:
        self._database: Final = database
        self._redactor: Final = redactor

    async def search(self, wanted: Wanted, session: str | None, workspace: str | None) -> JsonObject:
        """The newest entries this agent may see, with their texts as they were recorded: without secrets."""
        question = parse_question(wanted.text) if wanted.text else None
        return await asyncio.to_thread(self._search, wanted, question, session, workspace)

    def _search(
        self, wanted: Wanted, question: Question | None, session: str | None, workspace: str | None
    ) -> JsonObject:
        place = self._redactor.name(workspace) if workspace is not None else None
        with closing(open_to_read(self._database)) as ledger:
            found = search_among(
                self._database,
                ledger,
                _facts(wanted.op, session),
                question,
                lambda entry: may_see(entry, session, place) and wanted.op in {None, entry.op},
                limit=wanted.limit,
                before=wanted.before,
            )
        told: JsonObject = {"entries": [_to_row(entry, question) for entry in found.entries]}
        if found.before is not None:
            told["before"] = found.before
        # What counts as a secret may have grown since it was recorded.
        clean: JsonObject = msgspec.json.decode(self._redactor.body(msgspec.json.encode(told)))
        return clean


def may_see(entry: Entry, session: str | None, workspace: str | None) -> bool:
    """Whether an entry is the session's own, or an operation in the workspace."""
    if session and entry.session_id == session and entry.op in OF_SESSION:
        # A call of these very tools is recorded twice, and what it did says more.
        return entry.op in KNOWN or not (entry.tool or "").startswith(OWN)
    if workspace is None or entry.op not in OF_WORKSPACE:
        return False
    operation = operation_of(entry)
    return operation is not None and operation.workspace == workspace


def _facts(op: str | None, session: str | None) -> list[str]:
    if op is not None:
        return [fact_word(Fact.OP, op)]
    of_session = [fact_word(Fact.SESSION, session)] if session else []
    return [*of_session, *(fact_word(Fact.OP, one) for one in sorted(OF_WORKSPACE))]


def _to_row(entry: Entry, question: Question | None) -> JsonObject:
    body = entry.body
    inner = body.get("entry")
    if entry.op == IMPORTED and isinstance(inner, dict):
        payload = inner.get("payload")
        body = {**body, **(payload if isinstance(payload, dict) else {})}
    facts: dict[str, Any] = {name: _cut(body[name]) for name in _MEMBERS if body.get(name)}
    told = next((body[name] for name in _TELLING if body.get(name)), None)
    text = excerpt(entry, question)[0] if question else next(texts_of({"": told}), "")[:_SHOWN]
    return {
        "seq": entry.seq,
        "id": entry.id,
        "ts": entry.ts,
        "op": entry.op,
        "actor": entry.actor,
        **facts,
        "text": text,
    }


def _cut(value: Any) -> Any:
    return value[:_LONGEST] if isinstance(value, str) else value
