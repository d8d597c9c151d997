"""What a session did, as the ledger knows it, for hooks that report on it."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

import msgspec


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """Calls one rule held back for one reason."""

    tool: str
    reason: str
    count: int


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that failed with one error."""

    call: str  # the tool, and what it was called with in short
    error: str
    count: int


class Flow(msgspec.Struct, frozen=True, kw_only=True):
    """One session in figures; lists hold the most frequent first, and few of each."""

    since: str | None = None  # when its first entry was made
    until: str | None = None
    calls: int = 0
    prompts: tuple[str, ...] = ()  # in their order, cut short
    tools: tuple[tuple[str, int], ...] = ()
    commands: tuple[tuple[str, int], ...] = ()  # a program and its subcommand, and how often
    sequences: tuple[tuple[str, int], ...] = ()  # commands that followed one another more than once
    failures: tuple[Failure, ...] = ()
    denials: tuple[Denial, ...] = ()
    asked: int = 0  # times a person was asked
    hook_seconds: float = 0.0  # spent in hooks
    tool_seconds: float = 0.0  # spent in tools, where the host tells
    whole: bool = True  # False: the session is longer than what was looked at


class Flows(Protocol):
    """Whoever reads the ledger."""

    @property
    def folder(self) -> str:
        """Where reports are kept unless somebody says otherwise."""

    def of(self, session_id: str) -> Awaitable[Flow]:
        """What a session did until now; read beside the loop."""
