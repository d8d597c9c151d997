"""A store with a book of calls, a clock, and an agent that makes calls."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from interlock.effects.classification.classify import Repeat, RunScope
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Verdict, Vote
from interlock.features.receipts.book import ReceiptStore
from interlock.features.receipts.call_table import CallTable
from interlock.features.receipts.hook import RecordToolUse
from interlock.features.receipts.records import RecordedCall, RedactBody
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex

ALLOW, DENY = Decision(vote=Vote.ALLOW), Decision(vote=Vote.DENY)
MAIL = {"to": "bob@example.org", "subject": "hi", "body": "x"}
SEND = "mcp__gmail__send_email"


def send(use_id: str | None = "t1", *, name: str = "PreToolUse", tool: str = SEND, **fields: Any) -> Event:
    """A mail about to be sent, or what became of it."""
    tool_input = fields.pop("tool_input", MAIL)
    given = {"session_id": "s1", "cwd": "/w", **fields}
    return Event(name=name, tool=ToolCall(name=tool, input=tool_input, use_id=use_id), **given)


def sent(use_id: str | None = "t1", output: Any = "sent", **fields: Any) -> Event:
    """The mail was sent."""
    return send(use_id, name="PostToolUse", tool_output=output, **fields)


def broke(use_id: str | None = "t1", **fields: Any) -> Event:
    """The mail could not be sent."""
    return send(use_id, name="PostToolUseFailure", error="timeout", **fields)


class Calls:
    """One store; what is settled is on the disk when it returns."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        repeat: Repeat = Repeat.DENY,
        scope: RunScope = RunScope.SESSION,
        redact: RedactBody | None = None,
    ) -> None:
        self.now = 1_000_000.0
        self.connection = connection
        self.ledger = LedgerWriter(connection, clock=lambda: self.now)
        self.tools = CallTable(connection, self.ledger, redact=redact, clock=lambda: self.now)
        self.book = ReceiptStore(self.tools, clock=lambda: self.now)
        self.hook = RecordToolUse(book=self.book, repeat=repeat, scope=scope)

    def judge(self, event: Event) -> Verdict:
        """What the hook says, before anything is settled."""
        return self.hook.run(LocalCallView(event, PatternIndex(())), 10.0)

    def report(self, event: Event, decision: Decision | None = None) -> Verdict:
        """An event as the daemon takes it: judged, settled, recorded."""
        verdict = self.judge(event)
        self.book.settle(event, decision or Decision(vote=verdict.vote))
        self.ledger.append("decision", event.actor, "", {"event": event.name})
        self.ledger.flush()
        return verdict

    def rows(self, **filters: Any) -> list[RecordedCall]:
        """What is recorded, the newest first."""
        return self.tools.list_calls(**{"unfinished": False, "session": None, "most": 100, **filters})

    def statuses(self) -> list[str]:
        """How the recorded calls stand, the oldest first."""
        return [row.status for row in self.rows()][::-1]

    def entries(self, op: str) -> list[dict[str, Any]]:
        """What the ledger says of one kind."""
        found = LedgerReader(self.connection).after(0, limit=1_000)
        return [entry.body for entry in found if entry.op == op]

    def resolve(self, name: str, answer: str) -> RecordedCall:
        """A person says how a call ended."""
        found = self.tools.resolve(name, answer, by="human:ann")
        self.ledger.flush()
        return found


def with_input(event: Event, **fields: Any) -> Event:
    """The same event with other arguments."""
    assert event.tool is not None
    return msgspec.structs.replace(event, tool=msgspec.structs.replace(event.tool, input={**MAIL, **fields}))
