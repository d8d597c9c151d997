"""Pieces of a transcript that its agent is still writing: from an offset on, or from the end."""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

import msgspec

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
    shorter was written anew; what comes after its end now is read.
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


def agent_transcript(transcript: str, agent_id: str) -> str:
    """Where the client keeps the transcript of a sub-agent; its id leads to no other folder."""
    return f"{transcript.removesuffix('.jsonl')}/subagents/agent-{agent_id.replace('/', '_')}.jsonl"


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
