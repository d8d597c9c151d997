"""What a call changes, and what may be done about it when it is made again."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec


class SideEffect(StrEnum):
    """Where a call leaves its mark."""

    EXTERNAL = "external"  # outside this machine, or nobody knows where
    MEMORY = "memory"  # in what an agent remembers
    LOCAL = "local"  # on this machine
    READ_ONLY = "read_only"  # nowhere


class Replay(StrEnum):
    """What a repeat of a call that succeeded is."""

    EXACT = "REPLAY_EXACT"  # the same deed twice: its receipt stands for it
    IDEMPOTENT = "REPLAY_IDEMPOTENT"  # harmless
    RELAUNCH = "RELAUNCH"  # the start of another piece of work


class Repeat(StrEnum):
    """What the policy says of a repeat."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class RunScope(StrEnum):
    """Within what a call counts as made before."""

    SESSION = "session"
    PROJECT = "project"


class Classified(msgspec.Struct, frozen=True, kw_only=True):
    """The class of a call, and what it was told by."""

    effect: SideEffect
    replay: Replay
    namespace: str
    tool: str
    matched: str  # policy, known, reading, verb or default
    rule: str = ""  # the rule or word it was
    same_by: tuple[str, ...] = ()  # the fields that alone make two calls the same; none: all of them


_REPLAY: Final = {SideEffect.READ_ONLY: Replay.IDEMPOTENT}


def replay_of(effect: SideEffect) -> Replay:
    """What a repeat is where no rule says otherwise."""
    return _REPLAY.get(effect, Replay.EXACT)
