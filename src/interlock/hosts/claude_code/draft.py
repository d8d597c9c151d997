"""A reply to Claude Code while it is being put together."""

from __future__ import annotations

import json
from typing import Any, Final

from interlock.events.tool import JsonObject
from interlock.hosts.host import Reply

BLOCKED: Final = 2
MAX_TEXT: Final = 10_000  # longer texts the host puts into a file and shows a piece of
_CUT: Final = "\n[cut: the text was longer than 10,000 characters]"


class Draft:
    """Fields at the top, fields of the event's own part, and what could not be said; never a null."""

    def __init__(self, event_name: str) -> None:
        self.event_name: Final = event_name
        self._top: Final[JsonObject] = {}
        self._own: Final[JsonObject] = {}
        self._messages: Final[list[str]] = []
        self._degraded: Final[list[str]] = []
        self._exit_code = 0
        self._stderr = ""
        self._printed = ""

    def say(self, field: str, text: str) -> None:
        """Set a text at the top."""
        self._top[field] = self.fitting(field, text)

    def say_own(self, field: str, text: str) -> None:
        """Set a text in the event's own part."""
        self._own[field] = self.fitting(field, text)

    def set_own(self, field: str, value: Any) -> None:
        """Set a value in the event's own part."""
        if value is None:
            raise AssertionError(f"a null in `{field}` would make the host drop the whole reply")
        self._own[field] = value

    def tell(self, text: str) -> None:
        """Add a message for the person."""
        self._messages.append(text)

    def print(self, text: str) -> None:
        """Print a text as it is, in place of a reply."""
        self._printed = self.fitting("stdout", text)

    def fail(self, reason: str) -> None:
        """End as blocked, whatever is printed."""
        self._exit_code = BLOCKED
        self._stderr = self.fitting("reason", reason)

    def degrade(self, sentence: str) -> None:
        """Note what the host cannot carry out."""
        self._degraded.append(sentence)

    def fitting(self, field: str, text: str) -> str:
        """The text, or as much of it as the host takes."""
        fitting = cut(text)
        if fitting is not text:
            self.degrade(f"`{field}` was cut to {MAX_TEXT} characters at {self.event_name}")
        return fitting

    def reply(self) -> Reply:
        """The reply as bytes; nothing to say prints nothing."""
        if self._messages:
            self.say("systemMessage", "\n".join(self._messages))
        fields = dict(self._top)
        if self._own:
            fields["hookSpecificOutput"] = {"hookEventName": self.event_name, **self._own}
        printed = self._printed.encode("utf-8", "replace")
        return Reply(
            exit_code=self._exit_code,
            stdout=_encoded(fields) if fields else printed,
            stderr=self._stderr.encode("utf-8", "replace"),
            degraded=tuple(dict.fromkeys(self._degraded)),
        )


def cut(text: str) -> str:
    """The text itself if it fits, else its beginning and a note; counted as the host counts."""
    # The host counts UTF-16 units: at most two for each of our characters.
    if len(text) * 2 <= MAX_TEXT:
        return text
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= MAX_TEXT * 2:
        return text
    return units[: (MAX_TEXT - len(_CUT)) * 2].decode("utf-16-le", "ignore") + _CUT


def _encoded(fields: JsonObject) -> bytes:
    # ASCII only, so that a half character from a hook is still valid JSON.
    return json.dumps(fields, separators=(",", ":"), allow_nan=False).encode("ascii")
