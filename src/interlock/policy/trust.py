"""Which of a project's policy is in force: nothing until a person has trusted exactly this content."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import ConfigError, InterlockError, Problem
from interlock.events.hook import Layer
from interlock.events.text import first_few
from interlock.files.own_files import read_private, write_whole
from interlock.handlers.command import CommandHandler
from interlock.policy.compile.programs import DEFAULT_PATH
from interlock.policy.file_watch import Watch
from interlock.policy.files.read import FileKind, PolicyText, read_bytes
from interlock.policy.load import load_policy
from interlock.policy.locations import (
    OTHERS_POLICY,
    POLICY_FOLDER,
    POLICY_MARKS,
    folders_above,
    inside,
    policy_folders,
)
from interlock.policy.named_files import MAX_LOOKED_AT, UNREADABLE, Named, absolute, find_named, look_again
from interlock.policy.policy import Policy

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
        before, after = ({file.name: file.digest for file in each} for each in (self.files, files))
        for name in dict.fromkeys((*before, *after)):
            if name not in after:
                yield f"`{name}` is gone"
            elif name not in before:
                yield f"`{name}` is new"
            elif before[name] != after[name]:
                yield f"`{name}` changed"

    def _named_changes(self) -> Iterator[str]:
        for before in self.named:
            after = look_again(before, self.root, self.search)
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
        scripts = {os.path.join(self.root, named.word) for named in self.named if not named.program}
        programs = [named for named in self.named if named.program]
        paths = {named.path for named in programs if named.path}
        folders = set(self.search.split(os.pathsep)) - {""} if programs else ()
        return Watch(files=(*sorted(scripts), *sorted(paths)), folders=tuple(sorted(folders)))


def policy_paths(root: str) -> tuple[str, ...]:
    """Where a project's policy files stand, whether they are there or not."""
    return (*(f"{root}/{POLICY_FOLDER}/{kind}" for kind in FileKind), f"{root}/{OTHERS_POLICY}")


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
        """The file with the record of a project."""
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
        was_known = self.read(root) is not None
        self.file_of(root).unlink(missing_ok=True)
        return was_known

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
                f"other users can change the folder `{self.folder}`; move it away, or check it and run "
                "`chmod 700` on it"
            )

    @staticmethod
    def _decoded(path: Path) -> TrustRecord | None:
        try:
            record = msgspec.json.decode(read_private(path), type=TrustRecord)
        except (OSError, msgspec.DecodeError, UnicodeError):
            return None
        return record if record.version == FORMAT else None


FOLDER: Final = "trust"  # below the state folder
_LISTED: Final = 3


class Trust(StrEnum):
    """Whether a project is trusted."""

    NONE = "no policy"
    PENDING = "pending trust"
    TRUSTED = "trusted"
    CHANGED = "changed"


class TrustState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether one project is trusted, and why."""

    root: str
    status: Trust
    changes: tuple[str, ...] = ()  # what differs from what was trusted, or why it cannot be
    record: TrustRecord | None = None

    @property
    def notice(self) -> str | None:
        """What the person should be told, once a session."""
        if self.status is Trust.PENDING:
            why = f" ({self.changes[0]})" if self.changes else ""
            return (
                f"the policy of {self.root} is not trusted yet and does nothing{why}: "
                f"run `interlock trust` there to see and use it"
            )
        if self.status is Trust.CHANGED:
            changes = first_few(self.changes, _LISTED)
            return (
                f"the policy of {self.root} is not what you trusted ({changes}): its old rules "
                "still deny, its commands do not run; run `interlock trust` there to see the change"
            )
        return None


class TrustList:
    """The projects a person trusts."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.store: Final = TrustStore(folder)
        self._clock: Final = clock

    def propose(self, root: str, environ: Mapping[str, str]) -> tuple[TrustRecord, Policy]:
        """What would be trusted now and the policy it makes; raise ConfigError for a file with mistakes."""
        root = os.path.realpath(root)
        files = read_project(root)
        if not files:
            raise InterlockError(f"there is no policy in `{root}`; `interlock init --project` writes one")
        self._check_home(root)
        search = absolute(environ.get("PATH", DEFAULT_PATH), root)
        record = TrustRecord(root=root, files=files, search=search, trusted_at=self._clock())
        policy = load_policy(_layered(record.texts(tightening_only=False)), environ=environ)
        commands = [h.handler.command for h in policy.hooks if isinstance(h.handler, CommandHandler)]
        named = find_named(commands, root, search)
        for file in named:
            if file.digest == UNREADABLE:
                raise InterlockError(
                    f"`{file.path}` cannot be read or is larger than {MAX_LOOKED_AT // 2**20} MB, so its "
                    "content cannot be checked; make it readable, or keep it outside the project"
                )
        return msgspec.structs.replace(record, named=named), policy

    def trust(self, root: str, environ: Mapping[str, str]) -> TrustRecord:
        """Trust a project as it is now."""
        record, _ = self.propose(root, environ)
        self.store.write(record)
        return record

    def untrust(self, root: str) -> bool:
        """Take trust back; False when there was none."""
        return self.store.remove(os.path.realpath(root))

    def state_of(self, root: str) -> TrustState:
        """Whether a project is trusted, by its content at this moment."""
        root = os.path.realpath(root)
        record = self.store.read(root)
        try:
            files = read_project(root)
            if files:
                self._check_home(root)
        except InterlockError as error:
            status = Trust.CHANGED if record else Trust.PENDING
            return TrustState(root=root, status=status, changes=(str(error),), record=record)
        if record is None:
            return TrustState(root=root, status=Trust.PENDING if files else Trust.NONE)
        changes = tuple(record.changes(files))
        status = Trust.CHANGED if changes else Trust.TRUSTED
        return TrustState(root=root, status=status, changes=changes, record=record)

    def trusts(self, root: str) -> bool:
        """Whether a person trusts the project's policy as it is now."""
        return self.state_of(root).status is Trust.TRUSTED

    def states_above(self, cwd: str) -> list[TrustState]:
        """Every project at or above a real folder, the outermost first, each with its own confirmation."""
        return [self.state_of(folder) for folder in policy_folders(cwd, self.store.roots())]

    def watch_above(self, cwd: str) -> Watch:
        """What may change how the projects at or above a real folder stand."""
        folders = list(folders_above(cwd))
        places = tuple(f"{folder}/{mark}" for folder in folders for mark in POLICY_MARKS)
        watch = Watch(folders=(str(self.store.folder),), places=places)
        for folder in policy_folders(cwd, self.store.roots()):
            record = self.store.read(folder)
            own = Watch(files=(str(self.store.file_of(folder)), *policy_paths(folder)))
            watch += own + record.watch() if record else own
        return watch

    def _check_home(self, root: str) -> None:
        if inside(os.path.realpath(self.store.folder), root):
            raise InterlockError(
                f"the trust list is inside the project, at `{self.store.folder}`; choose a home outside it"
            )


def project_files(state: TrustState) -> list[tuple[Layer, PolicyText]]:
    """The files of a project that are in force, from what was stored: whole, or only what tightens."""
    if state.record is None:
        return []
    return _layered(state.record.texts(tightening_only=state.status is not Trust.TRUSTED))


def accepted_files(record: TrustRecord) -> list[tuple[Layer, PolicyText]]:
    """The files a person trusted, whatever has become of them."""
    return _layered(record.texts(tightening_only=False))


def read_project(root: str) -> tuple[TrustedFile, ...]:
    """A project's policy files as they are now; a link that leads out of the project is refused."""
    found = []
    for path in policy_paths(root):
        if not os.path.lexists(path):
            continue
        real = os.path.realpath(path)
        if not inside(real, root):
            message = f"leads outside the project, to `{real}`; put the file itself there"
            raise ConfigError((Problem(file=path, line=1, path="", message=message),))
        content = read_bytes(Path(real), watched=path)
        digest = hashlib.sha256(content).hexdigest()
        found.append(TrustedFile(name=os.path.relpath(path, root), digest=digest, content=content))
    return tuple(found)


def _layered(texts: list[PolicyText]) -> list[tuple[Layer, PolicyText]]:
    return [(Layer.PROJECT, text) for text in texts]
