"""One line of a transcript, as far as anyone here looks into it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

SYNTHETIC: Final = "<synthetic>"  # the model of what the client itself put in the assistant's mouth


class Entry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A line; of all its members only these are read, and every one of them may be anything."""

    type: Any = None
    subtype: Any = None
    message: Any = None
    content: Any = None
    timestamp: Any = None
    error: Any = None
    api_error_status: Any = None
    is_api_error_message: Any = None
    is_meta: Any = None  # put in by the client, not said by anyone
    is_sidechain: Any = None  # of a sub-agent
    is_compact_summary: Any = None

    @property
    def body(self) -> dict[str, Any]:
        """The message; empty where there is none."""
        return self.message if isinstance(self.message, dict) else {}

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """What is said in it, a plain text being one block."""
        content = self.body.get("content")
        if isinstance(content, str):
            return [{"type": "text", "text": content}]
        return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []

    @property
    def text(self) -> str:
        """Its blocks of text."""
        return "\n".join(texts(self.blocks))

    @property
    def failed(self) -> bool:
        """Whether it tells of an error of the model's API."""
        return bool(self.is_api_error_message) or (
            self.type == "assistant" and self.body.get("model") == SYNTHETIC and self.error is not None
        )

    @property
    def compacted(self) -> bool:
        """Whether the window was made smaller here, so that no count before it holds."""
        return (self.type, self.subtype) == ("system", "compact_boundary")


_DECODER: Final = msgspec.json.Decoder(Entry)


def read_entry(line: bytes) -> Entry | None:
    """The entry in a line; None for a line that is none."""
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def texts(content: Any) -> list[str]:
    """The texts of a content, however it is written."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    found = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return [text for text in found if isinstance(text, str)]
