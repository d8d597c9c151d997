"""Where a database may lie: a private folder of ours, a plain file, on a disk of this machine."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from interlock.errors import StoreError

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_OTHERS_WRITE: Final = 0o022
_OTHERS: Final = 0o077

# Locks and shared memory, on which the write-ahead log depends, do not reach across machines.
_NETWORK: Final = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fuse.ceph",
        "fuse.curlftpfs",
        "fuse.davfs2",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "smb2",
        "smb3",
        "smbfs",
    }
)
_MOUNTS: Final = Path("/proc/self/mountinfo")
_MOUNT_POINT: Final = 4  # the fifth field of a line
_OCTAL: Final = re.compile(r"\\([0-7]{3})")  # the kernel writes a blank in a path as \040


def secure_folder(folder: Path, *, uid: int, mounts: str | None = None) -> None:
    """Make the folder if there is none; refuse one that others own or can write to, or on a network."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        found = folder.stat()
    except OSError as error:
        raise StoreError(
            f"cannot use the folder `{folder}`: {_reason(error)}; choose another by INTERLOCK_HOME"
        ) from error
    _refuse_network(folder, _mounted() if mounts is None else mounts)
    if found.st_uid != uid:
        raise StoreError(f"the folder `{folder}` belongs to another user; choose another by INTERLOCK_HOME")
    if found.st_mode & _OTHERS_WRITE:
        # Whoever can write here could have put anything in place of our files; closing it now proves nothing.
        raise StoreError(f"others can write to the folder `{folder}`; look into it, then `chmod 700` it")
    if stat.S_IMODE(found.st_mode) != FOLDER_MODE:
        _set_mode(folder, FOLDER_MODE)


def secure_file(path: Path, *, uid: int) -> bool:
    """Refuse a database that is a link, no plain file or another's; False when there is none yet."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"cannot look at `{path}`: {_reason(error)}; check its folder") from error
    if not stat.S_ISREG(found.st_mode):
        # A link would let whoever made it choose what we open, and what we later replace.
        raise StoreError(f"`{path}` is a link or no plain file; move it away and start again")
    if found.st_uid != uid:
        raise StoreError(f"`{path}` belongs to another user; move it away and start again")
    if found.st_mode & _OTHERS:
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
    if kind in _NETWORK:
        raise StoreError(
            f"`{folder}` lies on a network file system ({kind}), where a database cannot be kept safely; "
            "choose a folder on this machine by INTERLOCK_HOME"
        )


def _mounted() -> str:
    try:
        return os.fsdecode(_MOUNTS.read_bytes())
    except OSError:
        return ""  # no Linux: the kernel does not tell, and a missing answer is no reason to refuse


def _set_mode(path: Path, mode: int) -> None:
    try:
        path.chmod(mode)
    except OSError as error:
        raise StoreError(f"cannot make `{path}` private: {_reason(error)}; `chmod {mode:o}` it") from error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
