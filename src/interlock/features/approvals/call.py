"""The call a person is asked about: the bytes that are shown, hashed and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall, ToolTable
from interlock.redaction.visible import visible_words


class Redact(Protocol):
    """Takes secrets out of encoded JSON, leaving a keyed fingerprint of each."""

    def __call__(self, written: bytes, *, keep: Callable[[], Collection[str]]) -> bytes:
        """Leave what `keep` names: the programs, paths and hosts an approver must see."""


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What is written down of a call; without the host's use id, so that a retry is the same call."""

    cwd: str  # `rm -r build` is another call in another folder
    event: str
    input: JsonObject | str | None
    tool: str | None

    def as_event(self, project: str | None = None) -> Event:
        """The call as an event, for patterns and for reading."""
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
    """The call as it is shown and hashed: without its secrets, so that another secret is another call."""
    written = call_bytes(event)
    return redact(written, keep=lambda: visible_words(event, tools)) if redact else written


def redact_text(text: str | None, redact: Redact | None) -> str | None:
    """What is said beside a call, without its secrets: it is stored and shown as the call is."""
    if text is None or redact is None:
        return text
    return msgspec.json.decode(redact(msgspec.json.encode(text), keep=frozenset), type=str)


def redact_name(folder: str, redact: Redact | None) -> str:
    """A folder as it stands beside a call: the same for the same one, without its secrets."""
    if redact is None:
        return folder
    return msgspec.json.decode(redact(msgspec.json.encode(folder), keep=lambda: {folder}), type=str)


def read_call(data: bytes) -> Call:
    """The call that bytes stand for; msgspec.DecodeError when they are none."""
    return msgspec.json.decode(data, type=Call)


def digest_of(data: bytes) -> str:
    """What tells one call from every other."""
    return hashlib.sha256(data).hexdigest()
