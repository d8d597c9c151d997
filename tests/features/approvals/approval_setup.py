"""A setup with an agent at one side, a person at the other, and a clock."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.answering import Answers, InForce
from interlock.features.approvals.grants import Grant, NewGrant
from interlock.features.approvals.requests import ApprovalStore, Redact, Request
from interlock.features.approvals.settings import ApprovalRules
from interlock.features.approvals.tickets import Tickets
from interlock.ledger.reader import LedgerReader
from interlock.ledger.writer import LedgerWriter

ANN = "human:ann"
ASK = Decision(vote=Vote.ASK, reason="is this wise?", decided_by="careful", revision="r1")
PUSH = Event(
    name="PreToolUse",
    session_id="s1",
    cwd="/w",
    tool=ToolCall(name="Bash", input={"command": "git push"}, use_id="t1"),
)


def bash(command: str, **fields: Any) -> Event:
    """A shell command about to run."""
    tool = ToolCall(name="Bash", input={"command": command}, use_id="t1")
    return msgspec.structs.replace(PUSH, tool=tool, **fields)


class ApprovalSetup:
    """Both sides of one store; what either does is on the disk when it returns."""

    def __init__(self, connection: sqlite3.Connection, redact: Redact | None = None) -> None:
        self.now = 1_000_000.0
        self.revision = "r1"
        self.rules = ApprovalRules()
        self.connection = connection
        self.ledger = LedgerWriter(connection, clock=lambda: self.now)
        self.book = ApprovalStore(connection, self.ledger, clock=lambda: self.now, redact=redact)
        self.tickets = Tickets(self.book)
        self.answers = Answers(self.book, self.in_force)

    def in_force(self, _: Request) -> InForce:
        """The policy as it stands now."""
        return InForce(revision=self.revision, rules=self.rules)

    def ask(self, event: Event = PUSH, decision: Decision | None = None, root: str = "/w") -> Decision:
        """Report a call that needs a yes."""
        asked = decision or msgspec.structs.replace(ASK, revision=self.revision)
        try:
            return self.tickets.settle(event, asked, root=root, rules=self.rules)
        finally:
            self.ledger.flush()

    def yes(self, name: str = "ap_1", by: str = ANN, **more: Any) -> Grant | None:
        """Let a person agree."""
        want = NewGrant(**more) if more else None
        try:
            return self.answers.approve(name, by, want=want)[1]
        finally:
            self.ledger.flush()

    def no(self, name: str = "ap_1", by: str = ANN) -> Request:
        """Let a person refuse."""
        try:
            return self.answers.deny(name, by)
        finally:
            self.ledger.flush()

    def states(self) -> list[str]:
        """Every request there ever was."""
        return [row[0] for row in self.connection.execute("SELECT state FROM approvals ORDER BY id")]

    def recorded(self, op: str = "approval") -> list[str]:
        """What the ledger says became of requests or grants."""
        entries = LedgerReader(self.connection).after(0)
        return [f"{entry.body.get(op)} {entry.body['state']}" for entry in entries if entry.op == op]
