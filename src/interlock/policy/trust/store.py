"""Where trust is kept: one private file a project, below the state folder and nowhere else."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.files.own_files import read_private, write_whole
from interlock.policy.trust.snapshot import FORMAT, TrustRecord

_FOLDER_MODE: Final = 0o700
_FILE_MODE: Final = 0o600
_OTHERS: Final = 0o077


class TrustStore:
    """Reads and writes records; a file that others could have written counts for nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self._roots: frozenset[str] = frozenset()
        self._stamp: tuple[int, ...] | None = None

    def file_of(self, root: str) -> Path:
        """Where the record of a project stands."""
        return self.folder / f"{hashlib.sha256(os.fsencode(root)).hexdigest()}.json"

    def read(self, root: str) -> TrustRecord | None:
        """The record of a project, if there is one that can be believed."""
        record = self._decoded(self.file_of(root))
        return record if record is not None and record.root == root else None

    def write(self, record: TrustRecord) -> None:
        """Store a record in one step."""
        self._make_folder()
        write_whole(self.file_of(record.root), msgspec.json.encode(record), mode=_FILE_MODE)

    def remove(self, root: str) -> bool:
        """Forget a project; False when it was not known."""
        known = self.read(root) is not None
        self.file_of(root).unlink(missing_ok=True)
        return known

    def roots(self) -> frozenset[str]:
        """Every project with a record; one look at the folder as long as nothing is added or removed."""
        try:
            found = self.folder.stat()
        except OSError:
            return frozenset()
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        if stamp != self._stamp:
            records = [self._decoded(file) for file in sorted(self.folder.glob("*.json"))]
            self._roots = frozenset(record.root for record in records if record)
            self._stamp = stamp
        return self._roots

    def _make_folder(self) -> None:
        # One by one: a mode does not reach the parents, and the daemon refuses a state folder open to others.
        for folder in (self.folder.parent, self.folder):
            folder.mkdir(parents=True, exist_ok=True, mode=_FOLDER_MODE)
        found = self.folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            raise InterlockError(
                f"`{self.folder}` is not a private folder of yours; "
                f"move it away, or look into it and `chmod 700` it"
            )

    @staticmethod
    def _decoded(path: Path) -> TrustRecord | None:
        try:
            record = msgspec.json.decode(read_private(path), type=TrustRecord)
        except (OSError, msgspec.DecodeError, UnicodeError):
            return None
        return record if record.version == FORMAT else None
