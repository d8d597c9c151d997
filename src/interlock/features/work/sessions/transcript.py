"""The file in which a host writes down a session: pieces of it, and its lines as far as they matter here."""

from __future__ import annotations

import errno
import os
import stat
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


_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Whole lines of a file."""

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
        descriptor, size = _opened(path)
    except OSError:
        return Piece(offset=offset)
    try:
        if not 0 <= offset <= size:
            return Piece(offset=size)
        begun = offset == 0 or os.pread(descriptor, 1, offset - 1) == b"\n"
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
        lines=tuple(lines if begun else lines[1:]),
        offset=offset + end,
        cut=0 if begun else 1,
        more=len(content) == most,
    )


def tail(path: str, most: int, end: int | None = None) -> tuple[bytes, ...]:
    """The last whole lines, or the last before an offset, the newest last; none where there is no file."""
    try:
        descriptor, size = _opened(path)
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


def _opened(path: str) -> tuple[int, int]:
    """The file and its length; only a plain file: nobody waits for a pipe to be written."""
    try:
        descriptor = os.open(path, _READ)
    except ValueError as error:  # a zero byte in the path
        raise OSError(errno.EINVAL, "no path") from error
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "no plain file")
    return descriptor, found.st_size
