"""The files of a database: private, on a disk of this machine, copied whole, with room for the log."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from interlock.errors import StoreError
from interlock.store.errors import explain

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_OTHERS_WRITE: Final = 0o022
_OTHERS: Final = 0o077

# Locks and shared memory, on which the write-ahead log depends, do not reach across machines.
_NETWORK: Final = (
    "9p afs beegfs ceph cifs coda davfs fuse.ceph fuse.curlftpfs fuse.davfs2 fuse.gcsfuse fuse.glusterfs "
    "fuse.rclone fuse.s3fs fuse.sshfs gfs2 glusterfs lustre ncpfs nfs nfs4 ocfs2 smb2 smb3 smbfs"
)
_MOUNTS: Final = Path("/proc/self/mountinfo")
_MOUNT_POINT: Final = 4  # the fifth field of a line
_OCTAL: Final = re.compile(r"\\([0-7]{3})")  # the kernel writes a blank in a path as \040


def secure_folder(folder: Path, *, uid: int, mounts: str | None = None) -> None:
    """Make the folder if there is none; refuse one that others own or can write to, or on a network."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        raise StoreError(
            f"cannot use the folder `{folder}`: {_reason(error)}; choose another one with INTERLOCK_HOME"
        ) from error
    _refuse_network(folder, _read_mounts() if mounts is None else mounts)
    if status.st_uid != uid:
        raise StoreError(
            f"the folder `{folder}` belongs to another user; choose another one with INTERLOCK_HOME"
        )
    if status.st_mode & _OTHERS_WRITE:
        # Whoever can write here could have put anything in place of our files; closing it now proves nothing.
        raise StoreError(
            f"other users can write to the folder `{folder}`; check it, then run `chmod 700` on it"
        )
    if stat.S_IMODE(status.st_mode) != FOLDER_MODE:
        _set_mode(folder, FOLDER_MODE)


def secure_file(path: Path, *, uid: int) -> bool:
    """Refuse a database that is a link, no plain file or another's; False when there is none yet."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"cannot check `{path}`: {_reason(error)}; check its folder") from error
    if not stat.S_ISREG(status.st_mode):
        # A link would let whoever made it choose what we open, and what we later replace.
        raise StoreError(f"`{path}` is a link or not a regular file; move it away and start again")
    if status.st_uid != uid:
        raise StoreError(f"`{path}` belongs to another user; move it away and start again")
    if status.st_mode & _OTHERS:
        _set_mode(path, FILE_MODE)
    return True


def file_system(path: Path, mounts: str) -> str | None:
    """The kind of file system a path lies on, from the text of mountinfo; None when it does not say."""
    best, kind = -1, None
    real = os.fspath(path.resolve())
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) <= _MOUNT_POINT or not after:
            continue
        point = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), fields[_MOUNT_POINT]).rstrip("/")
        # Of equal mount points the later line lies on top.
        if (real == point or real.startswith(f"{point}/")) and len(point) >= best:
            best, kind = len(point), after.split(" ")[0]
    return kind


def _refuse_network(folder: Path, mounts: str) -> None:
    kind = file_system(folder, mounts)
    if kind in _NETWORK.split():
        raise StoreError(
            f"`{folder}` is on a network file system ({kind}), where a database is not safe; choose a "
            "folder on this machine with INTERLOCK_HOME"
        )


def _read_mounts() -> str:
    try:
        return os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return ""  # no Linux: the kernel does not tell, and a missing answer is not a reason to refuse


def _set_mode(path: Path, mode: int) -> None:
    try:
        path.chmod(mode)
    except OSError as error:
        raise StoreError(
            f"cannot make `{path}` private: {_reason(error)}; run `chmod {mode:o}` on it"
        ) from error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


@contextmanager
def temporary_file(target: Path) -> Iterator[Path]:
    """An empty file, mode 0600, in the target's folder; whatever is left of it at the end is removed."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".new", dir=target.parent)
    os.close(descriptor)
    path = Path(name)
    try:
        yield path
    finally:
        for left in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            left.unlink(missing_ok=True)


_PAGES = 2_000  # copied at a time, so that progress can be told


def back_up(source: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy by the engine's own backup into a private file that gets its name when it is complete."""

    def tell(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with temporary_file(target) as temporary:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reading,
            closing(sqlite3.connect(temporary, isolation_level=None)) as writing,
        ):
            reading.execute("BEGIN")  # one snapshot: else every write by others restarts the copy
            reading.execute("PRAGMA user_version").fetchone()
            reading.backup(writing, pages=_PAGES, progress=tell)
            # One file that needs no log beside it.
            writing.execute("PRAGMA journal_mode = DELETE")
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(target)


# A little more than the log holds when it is written back and starts again.
ROOM: Final = 1_100 * 4_120


def make_room(connection: sqlite3.Connection, size: int = ROOM) -> None:
    """Lengthen the log with zeros, which are not entries to the engine; what it holds stays.

    A file that grows has its new length synced with every commit, and that takes several times as long.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")  # as long as we hold this, nobody else writes to the log
        try:
            path = connection.execute("PRAGMA database_list").fetchone()[2]
            if path:
                _lengthen(f"{path}-wal", size)
        finally:
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise StoreError(f"cannot free space in the log: {explain(error)}") from error
    except OSError as error:
        raise StoreError(
            f"cannot free space in the log: {error.strerror}; free some space on the disk"
        ) from error


def _lengthen(path: str, size: int) -> None:
    # The engine holds no lock on this file, so closing our descriptor takes none away.
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        length = os.fstat(descriptor).st_size
        before = length
        try:
            # Written, not only reserved: reserved room is noted as used at its first write, by another sync.
            while length < size:
                length += os.pwrite(descriptor, bytes(min(size - length, 1 << 20)), length)
            os.fsync(descriptor)
        except OSError:
            # The last of the disk is not ours to sit on: others, and the database itself, need it to grow.
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)
