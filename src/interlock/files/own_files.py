"""Our own files: written whole, read only while they are ours alone, and those shipped with the package."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_OTHERS_READ: Final = 0o004


def write_whole(path: Path, content: bytes | Iterable[bytes], *, mode: int, follow: bool = False) -> None:
    """Write beside and rename: a reader sees the old file or the new one, never half of either.

    The folder is opened once and everything happens in it, so that swapping it meanwhile changes nothing. A
    link at the path itself is replaced; with `follow`, what it leads to is what changes.
    """
    target = path.resolve() if follow else path
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o755 if mode & _OTHERS_READ else 0o700)
    with _open_folder(target.parent) as folder:
        half = f".{target.name}.{secrets.token_hex(8)}.new"
        try:
            _fill(os.open(half, _NEW, 0o600, dir_fd=folder), content, mode)
            os.replace(half, target.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(half, dir_fd=folder)
            raise


def _fill(file: int, content: bytes | Iterable[bytes], mode: int) -> None:
    with os.fdopen(file, "wb") as stream:
        for piece in (content,) if isinstance(content, bytes) else content:
            stream.write(piece)
        stream.flush()
        os.fchmod(stream.fileno(), mode)
        os.fsync(stream.fileno())


@contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS: Final = 0o077


def read_private(path: Path, most: int = -1) -> bytes:
    """The content, or its first `most` bytes; raise PermissionError if others could read or change it."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            raise PermissionError(
                errno.EPERM, "other users can read or change it; run `chmod 600` on it", str(path)
            )
        return file.read(most)


def mode_of(path: Path, default: int) -> int:
    """The permissions a file has, or those it is to get."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return default


_PACKAGE: Final = Path(__file__).parents[1]


def bundled_file(place: str) -> Path:
    """The path of `folder/file` of the package on this machine."""
    return _PACKAGE / place
