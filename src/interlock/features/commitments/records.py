"""Operations on commitments, and the records they make."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Container, Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.errors import RefusedRequestError
from interlock.events.tool import JsonObject
from interlock.features.commitments.policy import OPERATIONS
from interlock.ledger.entry import Entry


class Status(StrEnum):
    OPEN = "open"
    CLAIMED = "claimed"
    IN_REVIEW = "in_review"
    REOPENED = "reopened"
    CLOSED = "closed"
    DUPLICATE = "duplicate"
    CANCELLED = "cancelled"


ENDED: Final = frozenset({Status.CLOSED, Status.DUPLICATE, Status.CANCELLED})
LINK_KINDS: Final = ("related", "duplicate", "caused_by", "blocks", "evidence")
# The role responsible for a failure, by its domain.
DOMAINS: Final = {"intent": "architect", "safety": "auditor", "technical": "executor"}


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation makes, with the operation's id, time and actor."""

    id: str
    ts: str
    actor: str


class Memory(Record, frozen=True, kw_only=True):
    """An observation; it never changes."""

    body: str
    kind: str | None = None
    refs: tuple[str, ...] = ()  # what it was drawn from
    meta: JsonObject = {}

    @property
    def author_type(self) -> str | None:
        """The role it was captured in."""
        role = self.meta.get("author_type")
        return role if isinstance(role, str) else None


class Commitment(Record, frozen=True, kw_only=True):
    """Something that is owed, after everything recorded so far."""

    body: str
    source: str  # the memory it came from
    tags: tuple[str, ...] = ()
    meta: JsonObject = {}
    state: Status = Status.OPEN
    owner: str | None = None  # the last to claim it; kept at the end, so that a reopened one has an owner
    session: str | None = None  # the agent's session that claimed it
    evidence: tuple[str, ...] = ()
    submitted_by: str | None = None
    tier: str | None = None  # the one it was submitted under
    closed_by: str | None = None
    auto: bool = False  # closed without a review
    reopen_until: str | None = None  # after this it cannot be reopened
    duplicate_of: str | None = None
    made_in: str | None = None  # the agent's session that made it
    sent_back: int = 0  # how often it was reopened or rejected
    reason: str | None = None  # why it was reopened, rejected or cancelled
    domain: str | None = None  # of its failure
    changed: str = ""  # when it last changed

    @property
    def active(self) -> bool:
        """Whether somebody is working on it."""
        return self.owner is not None and self.state not in ENDED

    @property
    def ended(self) -> bool:
        return self.state in ENDED


class Annotation(Record, frozen=True, kw_only=True):
    """A note on a memory or a commitment."""

    target: str
    body: str
    kind: str | None = None


class Link(Record, frozen=True, kw_only=True):
    """A memory or commitment tied to a commitment."""

    source: str
    target: str
    kind: str
    reason: str | None = None


class Publication(Record, frozen=True, kw_only=True):
    """A published text, in versions."""

    module: str
    path: str
    version: int
    url: str | None = None
    content: str | None = None
    source: Any = None


class Dismissal(Record, frozen=True, kw_only=True):
    """Why a memory needs no action."""

    reason: str
    tags: tuple[str, ...] = ()


_PREFIX: Final = {"capture": "mem", "commit": "cmt", "publish": "pub"}
_OTHER: Final = "op"
SHAPE: Final = re.compile(r"(?:mem|cmt|op|pub)_[0-9a-f]{8}")


def new_id(op: str, taken: Container[str], digits: Callable[[], int] = lambda: secrets.randbits(32)) -> str:
    prefix = _PREFIX.get(op, _OTHER)
    while True:
        name = f"{prefix}_{digits():08x}"
        if name not in taken:
            return name


class Code(StrEnum):
    """Why an operation was refused, for programs."""

    MISSING_FIELD = "E_MISSING_FIELD"
    EMPTY_BODY = "E_EMPTY_BODY"
    REF_NOT_FOUND = "E_REF_NOT_FOUND"
    ALREADY_CLOSED = "E_ALREADY_CLOSED"
    ALREADY_CLAIMED = "E_ALREADY_CLAIMED"
    NOT_OWNER = "E_NOT_OWNER"
    DUPLICATE_ID = "E_DUPLICATE_ID"
    DUPLICATE_SOURCE_KEY = "E_DUPLICATE_SOURCE_KEY"
    PERMISSION_DENIED = "E_PERMISSION_DENIED"
    CONSTRAINT_VIOLATED = "E_CONSTRAINT_VIOLATED"
    INVALID_OP = "E_INVALID_OP"
    WORKSPACE_LOCKED = "E_WORKSPACE_LOCKED"  # the ledger cannot be written now
    NO_WORKSPACE = "E_NO_WORKSPACE"
    CITATION_REQUIRED = "E_CITATION_REQUIRED"


class RefusedError(RefusedRequestError):
    """An operation that was refused; nothing was recorded."""

    code: Code


class ValidatorResult(msgspec.Struct, frozen=True, kw_only=True):
    word: str
    file: str
    passed: bool
    problem: str = ""
    duration_ms: float = 0.0

    @property
    def document(self) -> JsonObject:
        result: JsonObject = {"validator": self.word, "file": self.file, "passed": self.passed}
        return {**result, "duration_ms": self.duration_ms, **({"told": self.problem} if self.problem else {})}


def validators_failed(operation: str, name: str, validated: Iterable[ValidatorResult]) -> RefusedError:
    problems = "; ".join(f"{result.word}: {result.problem}" for result in validated if not result.passed)
    return RefusedError(
        Code.CONSTRAINT_VIOLATED,
        f"`{name}` did not pass its validators ({problems})",
        f"fix that and {operation} it again",
        constraint="validators",
        validators=[result.document for result in validated],
    )


KNOWN: Final = frozenset(OPERATIONS)
IMPORTED: Final = "imported"
MENTU: Final = "mentu"
# Not part of the payload; `commitment_id` is what the actor was working on.
_ENVELOPE: Final = frozenset(
    {"session_id", "source_key", "meta", "claimed_actor", "commitment_id", "authenticated_by"}
)


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what, when and where; `payload` is what the operation is about."""

    op: str
    id: str  # of the entry, and of the record it makes
    ts: str
    actor: str
    workspace: str
    payload: JsonObject
    meta: JsonObject = {}  # author_type, trust_level, provenance and more
    source_key: str | None = None  # the same key is never recorded twice
    session_id: str | None = None  # the agent's session
    authenticated_by: str | None = None  # how a person proved who they are
    claimed_actor: str | None = None  # who an agent's process says it is: recorded, never believed

    def body(self) -> JsonObject:
        """What the ledger keeps beside the envelope."""
        optional = {
            "session_id": self.session_id,
            "source_key": self.source_key,
            "meta": self.meta or None,
            "claimed_actor": self.claimed_actor,
            "authenticated_by": self.authenticated_by,
        }
        return {**self.payload, **{name: value for name, value in optional.items() if value is not None}}

    def text(self, name: str) -> str | None:
        """A text of the payload; None if it is empty or something else."""
        return _as_text(self.payload.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or a single one: a close names its evidence as a text."""
        value = self.payload.get(name)
        values = value if isinstance(value, list) else [value] if value else []
        return tuple(item for item in values if isinstance(item, str))


def operation_of(entry: Entry) -> Operation | None:
    """The operation an entry records, or None. Entries imported from a Mentu ledger count as our own."""
    if entry.op not in KNOWN and entry.op != IMPORTED:
        return None
    try:
        body = entry.body
    except msgspec.MsgspecError:  # not readable; `verify` reports it, and the rest still counts
        return None
    return _mentu(entry, body) if entry.op == IMPORTED else _own(entry, body)


def _own(entry: Entry, body: JsonObject) -> Operation:
    return Operation(
        op=entry.op,
        id=entry.id,
        ts=entry.ts,
        actor=entry.actor,
        workspace=entry.workspace,
        payload={key: value for key, value in body.items() if key not in _ENVELOPE},
        meta=_mapping(body.get("meta")),
        source_key=_as_text(body.get("source_key")),
        session_id=_as_text(body.get("session_id")),
        claimed_actor=_as_text(body.get("claimed_actor")),
        authenticated_by=_as_text(body.get("authenticated_by")),
    )


def _mentu(entry: Entry, body: JsonObject) -> Operation | None:
    """An imported line. Its workspace is the one it was imported into, else the one it names."""
    line = body.get("entry")
    if body.get("source") != MENTU or not isinstance(line, dict) or line.get("op") not in KNOWN:
        return None
    name, ts, actor = (_as_text(line.get(key)) for key in ("id", "ts", "actor"))
    if name is None or actor is None:
        return None
    payload = _mapping(line.get("payload"))
    if line["op"] == "publish":
        name = _as_text(payload.get("id")) or name
    return Operation(
        op=line["op"],
        id=name,
        ts=ts or entry.ts,
        actor=actor,
        workspace=entry.workspace or _as_text(body.get("workspace")) or _as_text(line.get("workspace")) or "",
        payload={key: value for key, value in payload.items() if key not in {*_ENVELOPE, "id"}},
        meta=_mapping(payload.get("meta")),
        source_key=_as_text(line.get("source_key")),
    )


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
