"""Writing a file so that whoever reads it sees the old one or the new one, never half of either."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes, *, mode: int) -> None:
    """Write beside and rename; a link is followed, so that what it leads to is what changes."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o755 if mode & 0o004 else 0o700)
    file, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    half = Path(name)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        half.chmod(mode)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def mode_of(path: Path, default: int) -> int:
    """The permissions a file has, or those it is to get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return default
