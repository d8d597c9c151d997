"""Requests for a person's approval, their table, and the store that changes it with the ledger."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final, Literal, Protocol

import msgspec

from interlock.errors import ApprovalError, UnknownIdError
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall, ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.grants import Grant, Grants
from interlock.features.approvals.settings import ApprovalRules, Approvers
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.marks import visible_words
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors
from interlock.store.statements import statements


class Redact(Protocol):
    """Takes secrets out of encoded JSON, leaving a keyed fingerprint of each."""

    def __call__(self, written: bytes, *, keep: Callable[[], Collection[str]]) -> bytes:
        """Leave what `keep` names: the programs, paths and hosts an approver must see."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored of a call. It leaves out the host's use id, so that a retry is the same call."""

    cwd: str  # in another folder `rm -r build` is another call
    event: str
    input: JsonObject | str | None
    tool: str | None

    def as_event(self, project: str | None = None) -> Event:
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
    """The call as it is shown and hashed. With another secret it is another call."""
    written = call_bytes(event)
    return redact(written, keep=lambda: visible_words(event, tools)) if redact else written


def redact_text(text: str | None, redact: Redact | None) -> str | None:
    """A text beside a call without its secrets: it is stored and shown as the call is."""
    if text is None or redact is None:
        return text
    return msgspec.json.decode(redact(msgspec.json.encode(text), keep=frozenset), type=str)


def redact_name(folder: str, redact: Redact | None) -> str:
    """A folder or actor without its secrets. The same name always gives the same text."""
    if redact is None:
        return folder
    return msgspec.json.decode(redact(msgspec.json.encode(folder), keep=lambda: {folder}), type=str)


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


PREFIX: Final = "ap_"
WORK: Final = "approval_gate:work"  # in place of the hook that asked


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of approvals, in the order of its columns."""

    id: int
    digest: str
    session_id: str
    actor: str
    revision: str
    call: bytes
    reason: str | None
    approvers: Approvers  # one person of each group has to approve
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
    commitment: str | None  # what the session was working on when it asked
    seen: str | None = None  # what the project contained when it was opened, then when it was answered
    told: bool = False  # whether the agent has heard of a denial

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.id}"

    @property
    def of_work(self) -> bool:
        """Whether it is about a piece of work, not a call."""
        return self.rule == WORK and self.tool is None

    @property
    def content(self) -> Call:
        """The call, after checking that it is still the one that was hashed."""
        if digest_of(self.call) != self.digest:
            raise ApprovalError(
                f"{self.name} was changed after it was opened: its call does not match its digest; "
                "run `interlock ledger verify`, then ask the agent to try again"
            )
        try:
            return msgspec.json.decode(self.call, type=Call)
        except msgspec.DecodeError as error:
            raise ApprovalError(f"the call of {self.name} cannot be read: {error}") from error


def request_of(row: tuple[Any, ...]) -> Request:
    fields = dict(zip(Request.__struct_fields__, row, strict=True))
    approvers = msgspec.json.decode(fields["approvers"], type=Approvers)
    return Request(**{**fields, "approvers": approvers, "told": bool(fields["told"])})


_MOST_DIGITS: Final = 18  # SQLite holds 64 bits


def number_of(name: str, prefix: str = PREFIX) -> int:
    """The number in `ap_7`; raise UnknownIdError if it is not an id."""
    digits = name.removeprefix(prefix)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > _MOST_DIGITS:
        kind = "request" if prefix == PREFIX else "grant"
        raise UnknownIdError(f"`{name}` is not a {kind}; write it like `{prefix}7`")
    return int(digits)


_LISTED: Final = 500


class Requests:
    """The table of requests. Every change of state names the state it leaves."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Final = connection
        self._sql: Final = statements("approvals")

    def expire(self, now: str) -> list[Request]:
        """End what was not decided, or not used, in time."""
        return self._all("expire", {"now": now})

    def find(self, values: dict[str, Any]) -> Request | None:
        """The request that waits for, or answers, exactly this call."""
        return self._one("find", values)

    def of_work(self, digest: str) -> Request | None:
        """The newest request about a piece of work."""
        return self._one("of_work", (digest,))

    def of_session(self, session_id: str, approvers: str) -> Request | None:
        """The newest request of a session about a piece of work."""
        return self._one("of_session", (session_id, approvers))

    def of_commitment(self, commitment: str) -> list[Request]:
        """The newest requests about a commitment that were not denied."""
        return self._all("of_commitment", (commitment,))

    def untold(self, session_id: str, now: str) -> list[Request]:
        """What was denied in a session before the agent heard of it."""
        return self._all("untold", {"session_id": session_id, "now": now})

    def tell(self, number: int) -> None:
        """Note that the agent has heard of a denial."""
        self._run("tell", (number,))

    def open(self, values: dict[str, Any]) -> Request:
        self._run("request", values)
        return request_of(self._run("find", values).fetchone())

    def get(self, number: int) -> Request | None:
        return self._one("get", (number,))

    def waiting(self) -> list[Request]:
        """Those that wait for an answer, oldest first."""
        return self._all("waiting", ())

    def newest(self) -> list[Request]:
        """The latest ones in any state, oldest first."""
        return self._all("newest", (_LISTED,))[::-1]

    def change(self, step: Literal["approve", "second", "deny", "use"], values: dict[str, Any]) -> bool:
        """Take one step; False if the request is no longer in the state that the step leaves.

        approve: pending → approved; second: pending, with one more approval; deny: pending or approved →
        denied; use: approved → used.
        """
        return self._run(step, values).rowcount == 1

    def end(self, number: int, note: str) -> bool:
        """pending → expired, before its time."""
        return self._run("end", {"id": number, "note": note}).rowcount == 1

    def forget(self, before: str) -> None:
        """Remove what ended before a time."""
        self._run("forget", {"before": before})

    def _one(self, name: str, values: Any) -> Request | None:
        row = self._run(name, values).fetchone()
        return request_of(row) if row else None

    def _all(self, name: str, values: Any) -> list[Request]:
        return [request_of(row) for row in self._run(name, values)]

    def _run(self, name: str, values: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)


SYSTEM: Final = "system"
_DAY: Final = 86_400.0
_KEEP: Final = 30 * _DAY


class ApprovalStore:
    """The tables of approvals. A change becomes durable with the ledger's next flush."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        tools: ToolTable = STANDARD_TOOLS,
        clock: Callable[[], float] = time.time,
        redact: Redact | None = None,
        announce: Callable[[Request, ApprovalRules], object] = lambda *_: None,
    ) -> None:
        self._ledger: Final = ledger
        self._clock: Final = clock
        self._announce: Final = announce  # tells people, once the request is on disk
        self.redact: Final = redact
        self.tools: Final = tools
        self.requests: Final = Requests(connection)
        self.grants: Final = Grants(connection, tools)
        self.after_commit: Final = ledger.after_commit
        self._tidy_at = 0.0

    def now(self, ahead: float = 0.0) -> str:
        """The time as it is stored, or a time some seconds ahead."""
        return timestamp(self._clock() + ahead)

    def times(self, seconds: float) -> dict[str, str]:
        """Now, and when what is opened or answered now expires."""
        now = self._clock()
        return {"now": timestamp(now), "expires_at": timestamp(now + seconds)}

    @contextmanager
    def step(self) -> Iterator[None]:
        """Several changes as one, inside the transaction that the ledger's next flush ends.

        Entries are recorded after the last change: if something fails in between, neither is kept.
        """
        with explain_errors("cannot ask for approval"), self._ledger.step("approvals"):
            yield

    def expire(self) -> None:
        """End what has expired, and record that."""
        with self.step():
            expired = self.requests.expire(self.now())
            if self._clock() >= self._tidy_at:
                self._tidy_at = self._clock() + _DAY
                self.requests.forget(self.now(-_KEEP))
            for request in expired:
                self.record(request, "expired", SYSTEM)

    def open(self, values: dict[str, Any], rules: ApprovalRules) -> Request:
        """Open a request, record it and announce it."""
        request = self.requests.open(values)
        self.record(request, "requested", request.actor)
        self.after_commit(lambda: self._announce(request, rules))
        return request

    def record(self, request: Request, state: str, by: str, **more: object) -> None:
        """Record what became of a request; the first entry holds the whole call."""
        body = {
            "approval": request.name,
            "state": state,
            "digest": request.digest,
            "session_id": request.session_id,
            "actor": request.actor,
            "tool": request.tool,
            "revision": request.revision,
            "expires_at": request.expires_at,
            "by": by,
            "commitment_id": request.commitment,
            **more,
        }
        if state == "requested":
            call = msgspec.json.decode(request.call)
            body |= {"call": call, "reason": request.reason, "decided_by": request.rule}
            body["approvers"] = request.approvers
        self._ledger.append("approval", by, request.root, _without_empty(body))

    def record_grant(self, grant: Grant, state: str, by: str, **more: object) -> None:
        body = {"grant": grant.name, "state": state, "kind": grant.kind, "by": by, **more}
        if state == "granted":
            names = ("digest", "pattern", "session_id", "project", "actor", "until", "note")
            body |= {name: getattr(grant, name) for name in names}
            body["approval"] = f"ap_{grant.approval}"
        self._ledger.append("grant", by, grant.project or "", _without_empty(body))


def _without_empty(body: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if value is not None and value != ()}
