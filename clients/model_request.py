"""One request that reached the scripted model, and what can be read from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clients.turns import JsonObject

MAIN = "main"  # the main conversation
SIDE = "side"  # titles, routing, summaries, token counts: uses up no turn
OUTSIDE = "outside"  # meant for some other host; refused


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """A request; `conversation` is MAIN, SIDE, OUTSIDE or the marker of a sub-agent."""

    conversation: str
    method: str
    target: str
    body: JsonObject

    def said(self) -> str:
        """Every text the model was shown: system, messages and tool results."""
        system = list(_texts(self.body.get("system", "")))
        messages = [text for message in self.messages() for text in _texts(message.get("content", ""))]
        return "\n".join([*system, *messages])

    def tool_results(self) -> dict[str, str]:
        """What came back for each tool call, by the id of the call."""
        blocks = [block for message in self.messages() for block in _blocks(message.get("content", ""))]
        return {
            block["tool_use_id"]: "\n".join(_texts(block.get("content", "")))
            for block in blocks
            if block.get("type") == "tool_result"
        }

    def messages(self) -> list[JsonObject]:
        """The conversation as sent."""
        found: list[JsonObject] = self.body.get("messages", [])
        return found

    def opening(self) -> str:
        """The text of the first user message."""
        first = next((message for message in self.messages() if message.get("role") == "user"), {})
        return "\n".join(_texts(first.get("content", "")))


def _blocks(content: Any) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _texts(content: Any) -> Iterator[str]:
    for block in _blocks(content):
        if block.get("type") == "text":
            yield block["text"]
        elif block.get("type") == "tool_result":
            yield from _texts(block.get("content", ""))
