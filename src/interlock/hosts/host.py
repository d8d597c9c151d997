"""The interface of a host, and the checks that `interlock doctor` reports about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolTable

SELF_TEST: Final = "interlock-doctor"  # the session of our own test calls
SELF_TEST_TOOL: Final = "InterlockSelfTest"  # the tool they call, which exists only to be denied
SELF_TEST_REASON: Final = "self-test: denied, as it should be"


class State(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARN = "warn"  # works, but a person should know
    FAIL = "fail"  # Interlock does not guard everything


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What was checked, the result, and what to do about it."""

    state: State
    what: str
    detail: str
    next: str = ""

    @property
    def text(self) -> str:
        """The result, and the command that fixes it."""
        end = "" if self.detail.endswith(("?", ".")) else "."
        return f"{self.detail}{end} Fix: {self.next}" if self.next else self.detail


def ok(what: str, detail: str) -> Check:
    """Nothing to do."""
    return Check(state=State.OK, what=what, detail=detail)


def warn(what: str, detail: str, next_step: str) -> Check:
    """Worth knowing."""
    return Check(state=State.WARN, what=what, detail=detail, next=next_step)


def fail(what: str, detail: str, next_step: str) -> Check:
    """Must be fixed."""
    return Check(state=State.FAIL, what=what, detail=detail, next=next_step)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the hook process prints, and its exit code."""

    exit_code: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    degraded: tuple[str, ...] = ()  # what the host could not carry out, one short sentence each


class Host(Protocol):
    """An agent: how it reports events, and how it is answered."""

    @property
    def name(self) -> str:
        """The word that names this host on the command line and in records."""

    @property
    def title(self) -> str:
        """Its name as people write it."""

    @property
    def program(self) -> str:
        """The command that starts it."""

    @property
    def tools(self) -> ToolTable: ...

    @property
    def most_rounds(self) -> int:
        """How often in one turn the host lets hooks send an agent back."""

    def read(self, payload: bytes, env: Mapping[str, str]) -> Event:
        """Read what the host sent; raise PayloadError when it is not an event."""

    def write(self, event: Event, decision: Decision) -> Reply:
        """Say the decision in the host's words."""

    def refuse(self, event_name: str, reason: str, *, closed: bool | None = None) -> Reply:
        """Answer when nothing could be decided or recorded; None leaves open or closed to the moment."""

    def attended(self, event: Event) -> bool:
        """Whether a person can answer the host's own prompt."""

    def budget(self, event_name: str, waits: float | None = None) -> float:
        """The seconds all hooks of an event have together, before the host gives up on us.

        `waits` are the host's own seconds where installing noted them.
        """

    def version(self, event: Event) -> str | None:
        """The host's version, where it tells."""

    def find(self, environ: Mapping[str, str], home: Path) -> str | None:
        """Where the host is on this machine: its program, else its settings; None where there is neither."""

    def self_test(self, command: Sequence[str], cwd: Path, *, seconds: float = 20.0) -> Check:
        """Prove that a known bad call is denied through the program the host runs."""
