"""Everything Interlock raises.

InterlockError
├── UnknownEventError      an event name nobody knows
├── PatternError           a pattern or matcher that cannot be read
├── ConditionError         a condition that cannot be used
├── ConfigError            a policy file with problems, each with its place
├── PayloadError           bytes from a host that are not an event
├── HookFailedError        a hook that gave no usable answer
├── PluginError            a hook of another distribution that cannot be used
├── ApprovalError          a person's yes, no or grant that does not count
│   └── UnknownIdError     the id of no request or grant
└── StoreError             a database that cannot be opened or used
    ├── LedgerError        something that could not be recorded or read back
    └── TeamLedgerError   the ledger of a fleet that cannot be reached or does not take an entry
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import msgspec


class InterlockError(Exception):
    """Base of what the caller can act on; anything else is a defect of ours."""


class UnknownEventError(InterlockError):
    """An event name nobody knows."""

    def __init__(self, name: str, nearest: str | None) -> None:
        self.name = name
        self.nearest = nearest
        hint = f"; did you mean `{nearest}`?" if nearest else ""
        super().__init__(f"unknown event `{name}`{hint}")


class PatternError(InterlockError):
    """A pattern or matcher that cannot be read."""


class ConditionError(InterlockError):
    """A condition that cannot be used."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake in a policy file and where it stands."""

    file: str
    line: int
    path: str  # `hooks.pre_tool_use[0].type`, or empty for the file as a whole
    message: str

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{self.file}:{self.line}: {where}{self.message}"


def by_place(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """File by file, each from its first line to its last."""
    files: dict[str, list[Problem]] = {}
    for problem in problems:
        files.setdefault(problem.file, []).append(problem)
    return tuple(one for file in files.values() for one in sorted(file, key=lambda one: one.line))


class ConfigError(InterlockError):
    """A policy file with problems, each with its place."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


HookError = ConfigError  # its name in the `hooks.toml` document


class PluginError(InterlockError):
    """A hook of another distribution that cannot be used."""


class FailureKind(StrEnum):
    """The ways a hook can fail to answer."""

    EXIT = "exit"  # the program ended with an error
    SPAWN = "spawn"  # the program could not be started or waited for
    STATUS = "status"  # the webhook answered outside 2xx
    TRANSPORT = "transport"  # the webhook could not be reached
    GARBAGE = "garbage"  # something was answered that is not an answer
    TIMEOUT = "timeout"  # no answer in time
    CRASH = "crash"  # the hook's code raised


class HookFailedError(InterlockError):
    """A hook that gave no usable answer; the failure rules decide what that means."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        self.kind = kind
        self.message = message
        super().__init__(message)


class ApprovalError(InterlockError):
    """A person's yes, no or grant that does not count, and why."""


class UnknownIdError(ApprovalError):
    """The id of no request or grant."""


class StoreError(InterlockError):
    """A database that cannot be opened or used."""


class LedgerError(StoreError):
    """Something that could not be recorded or read back."""

    def __init__(self, message: str, *, reopen: bool = False) -> None:
        self.reopen = reopen  # this connection will never record again; the daemon must restart
        super().__init__(message)


class TeamLedgerError(StoreError):
    """The ledger of a fleet that cannot be reached or does not take an entry."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        self.lasting = lasting  # waiting does not help: a person must do something
        super().__init__(message)


class PayloadKind(StrEnum):
    """The ways bytes from a host can fail to be an event."""

    EMPTY = "empty"  # nothing but blanks
    ENCODING = "encoding"  # not UTF-8
    NUL = "nul"  # a zero byte, which some readers take for the end
    TRUNCATED = "truncated"  # the text ends inside the object
    TRAILING = "trailing"  # something follows the object
    DUPLICATE = "duplicate"  # a key twice: two readers may see two events
    NUMBER = "number"  # NaN, Infinity, or beyond what is kept exactly
    DEPTH = "depth"  # nested too deeply
    SIZE = "size"  # more values than can be read in time
    SYNTAX = "syntax"  # no JSON in some other way
    NOT_OBJECT = "not_object"  # JSON, but no object
    FIELD = "field"  # a field the event cannot do without is missing or of another type


class PayloadError(InterlockError):
    """Bytes from a host that are not an event."""

    def __init__(self, kind: PayloadKind, message: str, *, event_name: str = "") -> None:
        self.kind = kind
        self.message = message
        self.event_name = event_name  # as far as it could be read
        super().__init__(message)


class RefusedRequestError(InterlockError):
    """A request that was understood and not done, with a code for programs; nothing was written."""

    def __init__(self, code: StrEnum, sentence: str, next_step: str, **about: Any) -> None:
        self.code = code
        self.sentence = sentence
        self.next_step = next_step
        self.about = about  # what it is about, for programs: a field, an id, an owner
        super().__init__(f"{code}: {sentence}; {next_step}")

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        said = {"error": self.code.value, "message": self.sentence, "next": self.next_step}
        return {**self.about, **said}
