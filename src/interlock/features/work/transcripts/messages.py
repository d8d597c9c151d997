"""What was said in a session, read from its transcript: each call goes on where the last one ended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from interlock.features.work.transcripts.entry import Entry, read_entry, texts
from interlock.features.work.transcripts.file import piece_from, tail

MOST: Final = 512 * 1024  # bytes a call: an agent waits for it
LONGEST: Final = 16 * 1024  # characters of one message
_HALF: Final = LONGEST // 2
_BACK: Final = 64 * 1024  # bytes looked back for the call that a result belongs to


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said, as a message is kept."""

    role: str  # user, assistant, tool or system
    content: str
    tool_name: str | None = None
    timestamp: str | None = None  # as the transcript has it


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a call found."""

    said: tuple[Said, ...] = ()
    offset: int = 0  # to be kept for the next call
    broken: int = 0  # lines that are no entry
    more: bool = False  # the next call can go on at once


def read_on(path: str, offset: int, *, most: int = MOST) -> Reading:
    """What was said since an offset; never raises, whatever is in the file or if there is none."""
    piece = piece_from(path, offset, most)
    lines = [line for line in piece.lines if line.strip()]
    entries = [entry for line in lines if (entry := read_entry(line)) is not None]
    tools = _names(entries)
    if any(use not in tools for entry in entries for use in _results(entry)):
        earlier = (read_entry(line) for line in tail(path, _BACK, offset))
        tools |= _names([entry for entry in earlier if entry is not None])
    return Reading(
        said=tuple(said for entry in entries for said in _said(entry, tools)),
        offset=piece.offset,
        broken=piece.cut + len(lines) - len(entries),
        more=piece.more,
    )


def _names(entries: Iterable[Entry]) -> dict[str, str]:
    """The tool of each call."""
    blocks = (block for entry in entries for block in entry.blocks if block.get("type") == "tool_use")
    return {str(block.get("id")): str(block.get("name", "")) for block in blocks}


def _results(entry: Entry) -> Iterator[str]:
    """The calls whose results an entry holds."""
    for block in entry.blocks:
        if block.get("type") == "tool_result":
            yield str(block.get("tool_use_id"))


def _said(entry: Entry, tools: Mapping[str, str]) -> Iterator[Said]:
    """The messages of one entry."""
    if entry.is_meta:
        return
    if entry.type in ("user", "assistant"):
        for role, content, tool in _spoken(entry, tools):
            if content.strip():
                yield _message(entry, role, content, tool)
    elif entry.type == "system" and isinstance(entry.content, str) and entry.content.strip():
        yield _message(entry, "system", entry.content, None)


def _spoken(entry: Entry, tools: Mapping[str, str]) -> Iterator[tuple[str, str, str | None]]:
    role = "system" if entry.failed or entry.is_compact_summary else str(entry.type)
    for block in entry.blocks:
        kind = block.get("type")
        if kind == "text" and isinstance(block.get("text"), str):
            yield role, block["text"], None
        elif kind == "tool_use":
            yield role, _json(block.get("input")), str(block.get("name", ""))
        elif kind == "tool_result":
            tool = tools.get(str(block.get("tool_use_id")))
            yield "tool", "\n".join(texts(block.get("content"))), tool


def _message(entry: Entry, role: str, content: str, tool: str | None) -> Said:
    stamp = entry.timestamp if isinstance(entry.timestamp, str) else None
    return Said(role=role, content=_capped(content), tool_name=tool, timestamp=stamp)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _capped(text: str) -> str:
    """Head and tail of a long text, and how much is left out."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:_HALF]}\n… {len(text) - LONGEST:,} characters left out …\n{text[-_HALF:]}"
