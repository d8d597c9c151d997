"""One thing the doctor looked at."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

SELF_TEST: Final = "interlock-doctor"  # the session of our own test calls


class State(StrEnum):
    """How it is."""

    OK = "ok"
    WARN = "warn"  # works, and a person should know
    FAIL = "fail"  # Interlock does not guard as it should


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, what was found, and what to do about it."""

    state: State
    what: str
    detail: str
    next: str = ""


def ok(what: str, detail: str) -> Check:
    """Nothing to do."""
    return Check(state=State.OK, what=what, detail=detail)


def warn(what: str, detail: str, next_step: str) -> Check:
    """Worth knowing."""
    return Check(state=State.WARN, what=what, detail=detail, next=next_step)


def fail(what: str, detail: str, next_step: str) -> Check:
    """Must be fixed."""
    return Check(state=State.FAIL, what=what, detail=detail, next=next_step)
