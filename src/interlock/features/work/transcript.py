"""The file in which a host writes down a session: pieces of it, and its lines as far as they matter here."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.events.bounded_dict import BoundedDict

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
    values = [
        block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"
    ]
    return [text for text in values if isinstance(text, str)]


_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    lines: tuple[bytes, ...] = ()
    offset: int = 0  # where the next piece begins
    cut: int = 0  # lines of which only a part was met
    more: bool = False  # there is more to be read at once


def piece_from(path: str, offset: int, most: int) -> Piece:
    """The lines that end within `most` bytes from an offset; a line still being written waits.

    A line longer than that is passed over, since an agent waits for whoever reads. A file that has become
    shorter was rewritten; what comes after its end now is read.
    """
    try:
        descriptor, size = _open(path)
    except OSError:
        return Piece(offset=offset)
    try:
        if not 0 <= offset <= size:
            return Piece(offset=size)
        whole_line = offset == 0 or os.pread(descriptor, 1, offset - 1) == b"\n"
        content = os.pread(descriptor, most, offset)
    except OSError:
        return Piece(offset=offset)
    finally:
        os.close(descriptor)
    end = content.rfind(b"\n") + 1
    if not end:  # no line ends here: it is still being written, or too long for anyone to wait for
        passed = len(content) if len(content) == most else 0
        return Piece(offset=offset + passed, more=passed > 0)
    lines = content[:end].split(b"\n")[:-1]
    return Piece(
        lines=tuple(lines if whole_line else lines[1:]),
        offset=offset + end,
        cut=0 if whole_line else 1,
        more=len(content) == most,
    )


def tail(path: str, most: int, end: int | None = None) -> tuple[bytes, ...]:
    """The last whole lines, or the last before an offset, the newest last; none where there is no file."""
    try:
        descriptor, size = _open(path)
    except OSError:
        return ()
    try:
        stop = size if end is None else min(end, size)
        start = max(0, stop - most)
        content = os.pread(descriptor, stop - start, start)
    except OSError:
        return ()
    finally:
        os.close(descriptor)
    lines = content.split(b"\n")[:-1]
    return tuple(lines if start == 0 else lines[1:])


def _open(path: str) -> tuple[int, int]:
    """The file and its length; only a plain file: nobody waits for a pipe to be written."""
    try:
        descriptor = os.open(path, _READ)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, "no path") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no plain file")
    return descriptor, status.st_size


WINDOW: Final = 200_000  # tokens, where nothing says otherwise
LARGE_WINDOW: Final = 1_000_000
_LARGE: Final = "[1m]"  # how a model with the large window is named
# Most often the newest count is near the end; only a long tool result in between makes it worth to read more.
_TAILS: Final = (64 * 1024, 1024 * 1024)
_COUNTED: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What the newest answer of the model took in."""

    tokens: int
    model: str | None = None  # as the transcript names it

    def share(self, window: int | None = None) -> float:
        """The part of the window that is full, 0 to 1; the window is the model's unless one is given."""
        return min(1.0, self.tokens / (window or window_of(self.model, self.tokens)))


def window_of(model: str | None, tokens: int = 0) -> int:
    """The window of a model; a transcript leaves the mark of a large one out, but its counts give it away."""
    large = tokens > WINDOW or (model is not None and model.endswith(_LARGE))
    return LARGE_WINDOW if large else WINDOW


def usage_in(path: str, *, sub_agent: bool = False) -> Usage | None:
    """The usage by the end of a transcript; None where no count is found, or none since it was compacted.

    What a sub-agent took in does not fill its parent's window.
    """
    for most in _TAILS:
        for line in reversed(tail(path, most)):
            entry = read_entry(line)
            if entry is None or (entry.is_sidechain and not sub_agent):
                continue
            if entry.compacted:
                return None
            tokens = _tokens(entry)
            if tokens is not None:
                model = entry.body.get("model")
                return Usage(tokens=tokens, model=model if isinstance(model, str) else None)
    return None


def _tokens(entry: Entry) -> int | None:
    """What an answer took in; None for what is not an answer of a model."""
    usage: Any = entry.body.get("usage")
    if entry.type != "assistant" or entry.body.get("model") == SYNTHETIC or not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in _COUNTED]
    whole = [count for count in counts if isinstance(count, int) and not isinstance(count, bool)]
    return sum(max(0, count) for count in whole) if whole else None


_MOST: Final = 1_024  # transcripts
_Seen = tuple[int, int, Usage | None]  # size, time of the last change, what was found


class UsageMemory:
    """Requester before every call, so it looks at a file's size first."""

    def __init__(self) -> None:
        self._seen: Final[BoundedDict[str, _Seen]] = BoundedDict(_MOST)
        self._windows: Final[BoundedDict[str, int]] = BoundedDict(_MOST)  # of the large ones, by transcript

    def note_model(self, path: str, model: str | None) -> None:
        """Remember what the host says once, at the start of some sessions: transcripts leave it out."""
        self._note_window(path, window_of(model))

    def share(self, path: str | None, window: int | None, *, sub_agent: bool = False) -> float | None:
        """The part of the window that is full; None where nobody knows."""
        usage = self._usage(path, sub_agent=sub_agent) if path else None
        if path is None or usage is None:
            return None
        self._note_window(path, window_of(usage.model, usage.tokens))
        return usage.share(window or self._windows.get(path))

    def _note_window(self, path: str, window: int) -> None:
        """A window that was large once is so for good, however little is in it now."""
        if window != WINDOW:
            self._windows[path] = window

    def _usage(self, path: str, *, sub_agent: bool) -> Usage | None:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        cached = self._seen.get(path)
        if cached is not None and cached[:2] == (status.st_size, status.st_mtime_ns):
            return cached[2]
        usage = usage_in(path, sub_agent=sub_agent)
        self._seen[path] = (status.st_size, status.st_mtime_ns, usage)
        return usage


LINES: Final = 50
_BYTES: Final = 256 * 1024
_CONTEXT: Final = (
    "prompt is too long",
    "conversation is too long",
    "context_length_exceeded",
    "exceed context limit",
    "context window",
)
_RATE: Final = (
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "usage limit",
    "hit your limit",
    "limit reached",
    "(429)",
)


class Exhaustion(StrEnum):
    RATE_LIMIT = "rate_limit"
    CONTEXT = "context"


def exhaustion_in(path: str) -> Exhaustion | None:
    return find_exhaustion(tail(path, _BYTES)[-LINES:])


def find_exhaustion(lines: Sequence[bytes]) -> Exhaustion | None:
    """What ran out by the end of some lines; an answer of the model after an error means that it went on.

    Only what the client itself reports counts: an agent that reads a file about rate limits has not met one.
    """
    for line in reversed(lines):
        entry = read_entry(line)
        if entry is None or entry.type != "assistant":
            continue
        return exhaustion_of(_error_text(entry)) if entry.failed else None
    return None


def exhaustion_of(text: str) -> Exhaustion | None:
    """What an error of the model's API says ran out."""
    folded = text.casefold()
    if any(words in folded for words in _CONTEXT):
        return Exhaustion.CONTEXT
    return Exhaustion.RATE_LIMIT if any(words in folded for words in _RATE) else None


_TOO_MANY_REQUESTS: Final = 429


def _error_text(entry: Entry) -> str:
    limited = " (429)" if entry.api_error_status == _TOO_MANY_REQUESTS else ""
    return f"{entry.text} {entry.error or ''}{limited}"


class TranscriptWindow:
    """Looks at the end of a transcript each time it is asked."""

    def tokens(self, transcript: str) -> int | None:
        """What the newest answer of the model took in; None where nobody can tell."""
        usage = usage_in(transcript)
        return usage.tokens if usage else None
