"""What came of one tool call."""

from __future__ import annotations

from typing import Any

import msgspec

from interlock.events.decision import Decision
from interlock.events.tool import JsonObject


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """The output or the error of a call, with everything the hooks wanted said."""

    input: JsonObject  # what the tool was, or would have been, called with
    output: Any = None
    error: str | None = None  # the tool's own, or why it was not called
    exception: Exception | None = None  # what the tool raised
    denied: bool = False  # the tool was not called
    reason: str | None = None  # why it was denied, without the words around it
    decision: Decision  # before the call
    after: Decision | None = None  # after it; None when it was not made

    @property
    def context(self) -> tuple[str, ...]:
        """What the hooks want the model to know."""
        return self.decision.context + (self.after.context if self.after else ())

    @property
    def messages(self) -> tuple[str, ...]:
        """What the hooks want the person to know."""
        return self.decision.messages + (self.after.messages if self.after else ())
