"""What a scripted model says: blocks of text, tool calls, and answers that are errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Say:
    """A block of text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Use:
    """A tool call; its id follows from its place in the script, so that a test can look up the result."""

    tool: str
    input: JsonObject


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """How much of its window the model says it was sent; a turn without one is small."""

    sent: int


@dataclass(frozen=True, kw_only=True)
class Fail:
    """An error of the API; a client that tries again gets the turn after this one."""

    status: int
    kind: str
    message: str


Blocks: TypeAlias = tuple[Say | Use | Tokens, ...]
# A function is called when its turn has come, while the client waits: a test can act in mid-session.
Turn: TypeAlias = Blocks | Fail | Callable[[], Blocks]


def say(text: str) -> Blocks:
    """A turn that only talks."""
    return (Say(text=text),)


def use(tool: str, **fields: Any) -> Blocks:
    """A turn that calls one tool; add two turns to call two tools at once."""
    return (Use(tool=tool, input=fields),)


def bash(command: str) -> Blocks:
    """A turn that runs a shell command."""
    return use("Bash", command=command, description="scripted")
