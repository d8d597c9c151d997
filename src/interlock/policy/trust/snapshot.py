"""What a person trusted: a project's policy files and what they name, as they were at that moment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from interlock.policy.file_watch import Watch
from interlock.policy.files.read import FileKind, PolicyText
from interlock.policy.named_files import Named, now
from interlock.policy.projects import OTHERS_POLICY, POLICY_FOLDER

FORMAT: Final = 1


class TrustedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A policy file and its content."""

    name: str  # below the project, as in `.interlock/genesis.key`
    digest: str  # SHA-256
    content: bytes


class TrustRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One project, confirmed once."""

    root: str  # the real path of the project
    files: tuple[TrustedFile, ...]
    named: tuple[Named, ...] = ()
    search: str = ""  # the PATH its commands get, so that names keep their meaning
    trusted_at: float = 0.0
    version: int = FORMAT

    def texts(self, *, tightening_only: bool) -> list[PolicyText]:
        """The files, ready to be loaded, from what was stored."""
        return [
            PolicyText(
                shown=Path(self.root, file.name),
                content=file.content,
                folder=self.root,
                search=self.search,
                tightening_only=tightening_only,
            )
            for file in self.files
        ]

    def changes(self, files: tuple[TrustedFile, ...]) -> list[str]:
        """What differs now, in words; nothing when all is as it was."""
        return [*self._file_changes(files), *self._named_changes()]

    def _file_changes(self, files: tuple[TrustedFile, ...]) -> Iterator[str]:
        before, after = ({file.name: file.digest for file in some} for some in (self.files, files))
        for name in dict.fromkeys((*before, *after)):
            if name not in after:
                yield f"`{name}` is gone"
            elif name not in before:
                yield f"`{name}` is new"
            elif before[name] != after[name]:
                yield f"`{name}` changed"

    def _named_changes(self) -> Iterator[str]:
        for before in self.named:
            after = now(before, self.root, self.search)
            if before.path is None and after.path is not None:
                yield f"`{before.word}` is now {after.path}"
            elif before.path is not None and after.path is None:
                yield f"`{before.word}` is gone"
            elif before.path != after.path:
                yield f"`{before.word}` is now {after.path}, not {before.path}"
            elif before.digest != after.digest:
                yield f"`{before.word}` changed"

    def watch(self) -> Watch:
        """Everything that decides whether this record still describes the project."""
        scripts = {os.path.join(self.root, one.word) for one in self.named if not one.program}
        programs = {one.path for one in self.named if one.program and one.path}
        folders = set(self.search.split(os.pathsep)) - {""} if any(one.program for one in self.named) else ()
        return Watch(files=(*sorted(scripts), *sorted(programs)), folders=tuple(sorted(folders)))


def policy_paths(root: str) -> tuple[str, ...]:
    """Where a project's policy files stand, whether they are there or not."""
    return (*(f"{root}/{POLICY_FOLDER}/{kind}" for kind in FileKind), f"{root}/{OTHERS_POLICY}")
