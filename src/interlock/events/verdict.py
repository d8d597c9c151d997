"""What one hook says about one event."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject


class Vote(IntEnum):
    """The four votes, ordered so that the strictest is the greatest."""

    ABSTAIN = 0  # no opinion
    ALLOW = 1  # nothing here objects
    ASK = 2  # a person should decide
    DENY = 3  # this must not happen

    def __str__(self) -> str:
        return WORDS[self]


WORDS: Final = ("abstain", "allow", "ask", "deny")


class Outcome(StrEnum):
    """How the run of one hook went, apart from what it voted."""

    SUCCESS = "success"
    BLOCKING = "blocking"
    ERROR = "error"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Something a hook wants kept as proof."""

    kind: str
    data: JsonObject
    ledger: bool = True  # False: it stands in the trace of the decision and is not an entry of its own
    # Whole texts of which only size and digest are kept, by the member of the data they become. The digest is
    # made where secrets are taken out: that of a text with a short password would give the password away.
    texts: dict[str, str] = {}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A vote, its reason, and what the hook wants changed or said."""

    vote: Vote = Vote.ABSTAIN
    reason: str | None = None
    updated_input: JsonObject | None = None
    updated_prompt: str | None = None
    updated_output: Any = msgspec.UNSET  # UNSET: unchanged; any JSON value, null too, replaces
    context: str | None = None  # for the model
    message: str | None = None  # for the person
    evidence: Evidence | None = None
    approvers: tuple[str, ...] = ()  # with an ask: who may answer it; nobody named: any person
    ignored: bool = False  # the hook printed something that is not an answer, and its dialect allows that


NO_OPINION: Final = Verdict()


def deny(reason: str) -> Verdict:
    """Vote that this must not happen."""
    return Verdict(vote=Vote.DENY, reason=reason)


def ask(reason: str) -> Verdict:
    """Vote that a person should decide."""
    return Verdict(vote=Vote.ASK, reason=reason)


def allow(reason: str | None = None) -> Verdict:
    """Vote that nothing here objects."""
    return Verdict(vote=Vote.ALLOW, reason=reason)
