"""What the operations make: memories, commitments and what is tied to them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Container
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject


class Status(StrEnum):
    """How a commitment stands."""

    OPEN = "open"
    CLAIMED = "claimed"
    IN_REVIEW = "in_review"
    REOPENED = "reopened"
    CLOSED = "closed"
    DUPLICATE = "duplicate"
    CANCELLED = "cancelled"


ENDED: Final = frozenset({Status.CLOSED, Status.DUPLICATE, Status.CANCELLED})
LINK_KINDS: Final = ("related", "duplicate", "caused_by", "blocks", "evidence")
# Whose work a failure is, by its domain.
DOMAINS: Final = {"intent": "architect", "safety": "auditor", "technical": "executor"}


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was observed; it never changes."""

    id: str
    ts: str
    actor: str
    body: str
    kind: str | None = None
    refs: tuple[str, ...] = ()  # what it was drawn from
    meta: JsonObject = {}

    @property
    def author_type(self) -> str | None:
        """The role it was captured in."""
        found = self.meta.get("author_type")
        return found if isinstance(found, str) else None


class Commitment(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is owed, as it stands after everything recorded so far."""

    id: str
    ts: str
    actor: str  # who made it
    body: str
    source: str  # the memory it came from
    tags: tuple[str, ...] = ()
    meta: JsonObject = {}
    state: Status = Status.OPEN
    owner: str | None = None  # who claimed it last; kept when it ends, so that a reopened one has its owner
    session: str | None = None  # the agent's session that claimed it
    evidence: tuple[str, ...] = ()
    submitted_by: str | None = None
    tier: str | None = None  # the one it was submitted under
    closed_by: str | None = None
    auto: bool = False  # closed without anybody looking
    reopen_until: str | None = None  # closed for good after this
    duplicate_of: str | None = None
    made_in: str | None = None  # the agent's session that made it
    sent_back: int = 0  # how often it was reopened or rejected
    reason: str | None = None  # why it was reopened, rejected or cancelled
    domain: str | None = None  # in which domain it failed
    changed: str = ""  # when something last happened to it

    @property
    def active(self) -> bool:
        """Whether somebody is at work on it."""
        return self.owner is not None and self.state not in ENDED

    @property
    def ended(self) -> bool:
        """Whether nothing more is owed."""
        return self.state in ENDED


class Annotation(msgspec.Struct, frozen=True, kw_only=True):
    """A note on a memory or a commitment."""

    id: str
    ts: str
    actor: str
    target: str
    body: str
    kind: str | None = None


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A memory or commitment tied to a commitment."""

    id: str
    ts: str
    actor: str
    source: str
    target: str
    kind: str
    reason: str | None = None


class Publication(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was made public, in versions."""

    id: str
    ts: str
    actor: str
    module: str
    path: str
    version: int
    url: str | None = None
    content: str | None = None
    source: Any = None


class Dismissal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a memory needs nothing done."""

    id: str
    ts: str
    actor: str
    reason: str
    tags: tuple[str, ...] = ()


_PREFIX: Final = {"capture": "mem", "commit": "cmt", "publish": "pub"}
_OTHER: Final = "op"
SHAPE: Final = re.compile(r"(?:mem|cmt|op|pub)_[0-9a-f]{8}")


def new_id(op: str, taken: Container[str], digits: Callable[[], int] = lambda: secrets.randbits(32)) -> str:
    """A name for what an operation makes that nothing else has."""
    prefix = _PREFIX.get(op, _OTHER)
    while True:
        name = f"{prefix}_{digits():08x}"
        if name not in taken:
            return name
