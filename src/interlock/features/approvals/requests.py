"""Requests for a person's yes, and their table: every change of state names the state it leaves."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Collection
from typing import Any, Final, Protocol

import msgspec

from interlock.errors import ApprovalError
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall, ToolTable
from interlock.redaction.marks import visible_words
from interlock.store.statements import statements


class Redact(Protocol):
    """Takes secrets out of encoded JSON, leaving a keyed fingerprint of each."""

    def __call__(self, written: bytes, *, keep: Callable[[], Collection[str]]) -> bytes:
        """Leave what `keep` names: the programs, paths and hosts an approver must see."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What is written down of a call; without the host's use id, so that a retry is the same call."""

    cwd: str  # `rm -r build` is another call in another folder
    event: str
    input: JsonObject | str | None
    tool: str | None

    def as_event(self, project: str | None = None) -> Event:
        """The call as an event, for patterns and for reading."""
        if self.tool is None or not isinstance(self.input, dict):
            prompt = self.input if isinstance(self.input, str) else None
            return Event(name=self.event, cwd=self.cwd, project=project, prompt=prompt)
        tool = ToolCall(name=self.tool, input=self.input)
        return Event(name=self.event, cwd=self.cwd, project=project, tool=tool)


def call_bytes(event: Event) -> bytes:
    """The call in one spelling, however the host ordered its fields."""
    tool = event.tool
    call = Call(
        cwd=event.cwd,
        event=event.name,
        input=tool.input if tool else event.prompt,
        tool=tool.name if tool else None,
    )
    return msgspec.json.encode(call, order="sorted")


def redacted_call_bytes(event: Event, tools: ToolTable, redact: Redact | None) -> bytes:
    """The call as it is shown and hashed: without its secrets, so that another secret is another call."""
    written = call_bytes(event)
    return redact(written, keep=lambda: visible_words(event, tools)) if redact else written


def redact_text(text: str | None, redact: Redact | None) -> str | None:
    """What is said beside a call, without its secrets: it is stored and shown as the call is."""
    if text is None or redact is None:
        return text
    return msgspec.json.decode(redact(msgspec.json.encode(text), keep=frozenset), type=str)


def redact_name(folder: str, redact: Redact | None) -> str:
    """A folder as it stands beside a call: the same for the same one, without its secrets."""
    if redact is None:
        return folder
    return msgspec.json.decode(redact(msgspec.json.encode(folder), keep=lambda: {folder}), type=str)


def read_call(data: bytes) -> Call:
    """The call that bytes stand for; msgspec.DecodeError when they are none."""
    return msgspec.json.decode(data, type=Call)


def digest_of(data: bytes) -> str:
    """What tells one call from every other."""
    return hashlib.sha256(data).hexdigest()


PREFIX: Final = "ap_"
WORK: Final = "approval_gate:work"  # stands where other requests name the hook that asked
Approvers = tuple[tuple[str, ...], ...]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of approvals, in the order of its columns."""

    id: int
    digest: str
    session_id: str
    actor: str
    revision: str
    call: bytes
    reason: str | None
    approvers: Approvers  # whoever says yes stands in each of these lists
    state: str
    requested_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    note: str | None
    root: str
    project: str
    tool: str | None
    rule: str | None
    commitment: str | None  # what the session was at work on when it asked
    seen: str | None = None  # what the project held when it was asked, then when it was answered
    told: bool = False  # whether the agent has heard of a no

    @property
    def name(self) -> str:
        """What people call it: `ap_7`."""
        return f"{PREFIX}{self.id}"

    @property
    def of_work(self) -> bool:
        """Whether it is about a piece of work, not about a call."""
        return self.rule == WORK and self.tool is None

    @property
    def content(self) -> Call:
        """The call, after a check that it still is the one that was hashed."""
        if digest_of(self.call) != self.digest:
            raise ApprovalError(
                f"{self.name} was changed after it was opened: its call does not match its digest; "
                "run `interlock ledger verify`, then ask the agent to try again"
            )
        try:
            return read_call(self.call)
        except msgspec.DecodeError as error:
            raise ApprovalError(f"the call of {self.name} cannot be read: {error}") from error


def request_of(row: tuple[Any, ...]) -> Request:
    """A request as the database gives it."""
    fields = dict(zip(Request.__struct_fields__, row, strict=True))
    approvers = msgspec.json.decode(fields["approvers"], type=Approvers)
    return Request(**{**fields, "approvers": approvers, "told": bool(fields["told"])})


_MOST_DIGITS: Final = 18  # of a number that a column holds


def number_of(name: str, prefix: str = PREFIX) -> int:
    """The number in `ap_7`; raise ApprovalError for what is not a name."""
    digits = name.removeprefix(prefix)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MOST_DIGITS:
        kind = "request" if prefix == PREFIX else "grant"
        raise ApprovalError(f"`{name}` is not a {kind}; write it like `{prefix}7`")
    return int(digits)


_LISTED: Final = 500


class Requests:
    """The table of approvals."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Final = connection
        self._sql: Final = statements("approvals")

    def expire(self, now: str) -> list[Request]:
        """End what was not decided, or not used, in time."""
        return [request_of(row) for row in self._run("expire", {"now": now}).fetchall()]

    def find(self, about: dict[str, Any]) -> Request | None:
        """What waits for, or was said to, exactly this call."""
        row = self._run("find", about).fetchone()
        return request_of(row) if row else None

    def of_work(self, digest: str) -> Request | None:
        """The newest request about a piece of work."""
        row = self._run("of_work", (digest,)).fetchone()
        return request_of(row) if row else None

    def of_session(self, session_id: str, approvers: str) -> Request | None:
        """The newest request of a session about a piece of work."""
        row = self._run("of_session", (session_id, approvers)).fetchone()
        return request_of(row) if row else None

    def of_commitment(self, commitment: str) -> list[Request]:
        """What people were asked about a commitment last, without a no so far."""
        return [request_of(row) for row in self._run("of_commitment", (commitment,))]

    def untold(self, session_id: str, now: str) -> list[Request]:
        """What was refused in a session without the agent having heard of it."""
        values = {"session_id": session_id, "now": now}
        return [request_of(row) for row in self._run("untold", values)]

    def tell(self, number: int) -> None:
        """The agent has heard of a no."""
        self._run("tell", (number,))

    def open(self, about: dict[str, Any]) -> Request:
        """Make a request of a call."""
        self._run("request", about)
        return request_of(self._run("find", about).fetchone())

    def get(self, number: int) -> Request | None:
        """One request, in whatever state."""
        row = self._run("get", (number,)).fetchone()
        return request_of(row) if row else None

    def waiting(self) -> list[Request]:
        """Those that wait for an answer, the oldest first."""
        return [request_of(row) for row in self._run("waiting", ())]

    def newest(self) -> list[Request]:
        """The last ones in any state, the oldest of them first."""
        return [request_of(row) for row in self._run("newest", (_LISTED,))][::-1]

    def approve(self, values: dict[str, Any]) -> bool:
        """pending → approved."""
        return self._run("approve", values).rowcount == 1

    def second(self, values: dict[str, Any]) -> bool:
        """pending → pending, with one more who said yes."""
        return self._run("second", values).rowcount == 1

    def deny(self, values: dict[str, Any]) -> bool:
        """pending or approved → denied."""
        return self._run("deny", values).rowcount == 1

    def use(self, number: int, now: str) -> bool:
        """approved → used."""
        return self._run("use", {"id": number, "now": now}).rowcount == 1

    def end(self, number: int, note: str) -> bool:
        """pending → expired, before its time."""
        return self._run("end", {"id": number, "note": note}).rowcount == 1

    def forget(self, before: str) -> None:
        """Remove what was over before a time."""
        self._run("forget", {"before": before})

    def _run(self, name: str, values: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)
