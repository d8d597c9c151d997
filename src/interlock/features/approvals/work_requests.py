"""Requests about a piece of work, bound to the words a person reads about it and to the project's content."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from interlock.builtin_hooks.git import QuietGit
from interlock.builtin_hooks.worker_thread import in_thread
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.features.approvals.requests import (
    SYSTEM,
    WORK,
    ApprovalStore,
    Request,
    digest_of,
    number_of,
    redact_name,
    redact_text,
    redacted_call_bytes,
)
from interlock.features.approvals.settings import ApprovalRules
from interlock.handlers.process import STDOUT_CAP

_SECONDS: Final = 5.0
_MOST_NAMES: Final = 200  # files whose names are stored
_PLACES: Final = ("--path-format=absolute", "--show-toplevel", "--git-path", "index", "--git-path", "objects")
_PLACE_COUNT: Final = 3
_RAW: Final = ("-z", "--raw", "--no-renames", "--ignore-submodules=none")
_TAKE_UP: Final = (
    *("-c", "core.compression=0"),
    *("update-index", "--add", "--remove", "--replace", "-z", "--stdin"),
)

Files: TypeAlias = dict[str, str]  # path → mode and id of the content


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """What a project contains, as git sees it: committing changes nothing, ignored files do not count."""

    base: str  # the tree of the last commit
    digest: str  # of everything that differs from it
    files: Files = {}  # what differs, unless it is too many files

    @property
    def text(self) -> str:
        return msgspec.json.encode(self).decode()


class WorkContent:
    """Asks git about a repository. Where git gives no answer, nothing is known."""

    def __init__(self, environ: Mapping[str, str], seconds: float = _SECONDS) -> None:
        self._git: Final = QuietGit(environ, seconds)

    async def now(self, folder: str) -> Content | None:
        base = await self._head(folder)
        files = await self._files(folder, base) if base else None
        return _content(base, files) if base and files is not None else None

    async def changed(self, folder: str, before: Content) -> tuple[str, ...] | None:
        """The files whose content changed, or whose commit differs; None if git cannot tell."""
        files = await self._files(folder, before.base)
        head = await self._head(folder)
        if files is None or head is None:
            return None
        committed: Files | None = {}
        if head != before.base:
            committed = _parse_diff(await self._git.ask(folder, "diff-tree", "-r", *_RAW, before.base, head))
        if committed is None:
            return None
        if _content(before.base, files).digest != before.digest:
            if not before.files and before.digest != _content(before.base, {}).digest:
                return ("more files than are listed",)
            files_before = before.files
            return tuple(sorted(n for n in {**files_before, **files} if files_before.get(n) != files.get(n)))
        # The folder is unchanged; what was committed since must be part of it.
        return tuple(sorted(name for name, held in committed.items() if files.get(name) != held))

    async def _head(self, folder: str) -> str | None:
        """The tree of the last commit; before the first one, the empty tree."""
        output = await self._git.ask(folder, "rev-parse", "--verify", "-q", "HEAD^{tree}")
        if output is None:
            output = await self._git.ask(folder, "hash-object", "-t", "tree", "--stdin", given=b"")
        return output.decode().strip() if output else None

    async def _files(self, folder: str, base: str) -> Files | None:
        """All files in the repository that differ from a tree, including new ones."""
        output = await self._git.ask(folder, "rev-parse", *_PLACES)
        places = os.fsdecode(output).splitlines() if output else []
        if len(places) != _PLACE_COUNT:
            return None
        try:
            with tempfile.TemporaryDirectory(prefix="interlock-content-") as scratch:
                return await self._add_all(places, base, scratch)
        except (OSError, TimeoutError):
            return None

    async def _add_all(self, places: list[str], base: str, scratch: str) -> Files | None:
        """Add everything to an index of our own: the repository stays as it is."""
        top, index, objects = places
        await in_thread(top, lambda: _prepare(Path(index), Path(scratch)), _SECONDS)
        quoted = objects.replace("\\", "\\\\").replace('"', '\\"')
        more = {
            "GIT_INDEX_FILE": f"{scratch}/index",
            "GIT_OBJECT_DIRECTORY": f"{scratch}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{quoted}"',
        }
        git = self._git
        changed = await git.compare(
            top, "diff-files", "--name-only", "-z", "--ignore-submodules=dirty", more=more
        )
        new = await git.ask(top, "ls-files", "-o", "--exclude-standard", "-z", more=more)
        if changed is None or new is None or len(changed) + len(new) >= STDOUT_CAP:
            return None
        # A repository inside this one is not part of it.
        names = [name for name in (changed + new).split(b"\0") if name and not name.endswith(b"/")]
        file_list = b"".join(name + b"\0" for name in names)
        if await git.compare(top, *_TAKE_UP, given=file_list, more=more) is None:
            return None
        return _parse_diff(await git.ask(top, "diff-index", "--cached", *_RAW, base, more=more))


def content_of(text: str) -> Content | None:
    try:
        return msgspec.json.decode(text, type=Content)
    except msgspec.DecodeError:
        return None


def _content(base: str, files: Files) -> Content:
    digest = hashlib.sha256(msgspec.json.encode(files, order="sorted")).hexdigest()
    return Content(base=base, digest=digest, files=files if len(files) <= _MOST_NAMES else {})


def _prepare(index: Path, scratch: Path) -> None:
    """Copy the index with its time, by which git knows which files it has to read again."""
    (scratch / "objects").mkdir()
    if index.exists():
        shutil.copy2(index, scratch / "index")


def _parse_diff(raw: bytes | None) -> Files | None:
    """Parse `:100644 100644 OLD NEW M`, then the path; a deleted file has an id of zeros."""
    if raw is None or len(raw) >= STDOUT_CAP:  # longer output was cut
        return None
    fields = raw.split(b"\0")
    files = {}
    for status, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, held, _ = status.decode().split(" ")
        files[os.fsdecode(name).encode("utf-8", "backslashreplace").decode()] = f"{mode} {held}"
    return files


_EXPIRED: Final = "expired"


class WorkUnderReview(msgspec.Struct, frozen=True, kw_only=True):
    """What a person is asked about, and under which policy."""

    text: str
    root: str  # the project: the same work is the same request, whatever folder of it the agent is in
    revision: str
    rules: ApprovalRules
    approvers: tuple[str, ...] = ()


class WorkRequests:
    def __init__(self, store: ApprovalStore, contents: WorkContent) -> None:
        self._contents: Final = contents
        self._store: Final = store

    def find(self, work: WorkUnderReview) -> Request | None:
        """The newest request about this work, with its state as of now."""
        request = self._store.requests.of_work(digest_of(self._call_bytes(work)))
        return None if request is None else self._with_expiry(request)

    def _with_expiry(self, request: Request) -> Request:
        if request.state not in {"pending", "denied"}:
            return request
        over = request.expires_at <= self._store.now()
        return msgspec.structs.replace(request, state=_EXPIRED) if over else request

    def of_session(self, work: WorkUnderReview, session_id: str) -> Request | None:
        """The newest request of a session to the same people, about any work."""
        request = self._store.requests.of_session(session_id, _encode_approvers(work))
        return None if request is None else self._with_expiry(request)

    def open(
        self, work: WorkUnderReview, event: Event, reason: str, project_content: str | None = None
    ) -> Request:
        """Open a request in place of one that still waits."""
        call = self._call_bytes(work)
        values = {
            "digest": digest_of(call),
            "session_id": event.session_id,
            "actor": redact_name(event.actor, self._store.redact),
            "revision": work.revision,
            "call": call,
            "reason": redact_text(reason, self._store.redact),
            "approvers": _encode_approvers(work),
            "root": (place := redact_name(work.root, self._store.redact)),
            "project": place,
            "commitment": event.commitment_id,
            "seen": project_content,
        }
        return self._open(values, work.rules)

    def reopen(
        self, earlier: Request, revision: str, rules: ApprovalRules, project_content: str | None = None
    ) -> Request:
        """Ask again in the same words, after a request that came to nothing."""
        names = ("digest", "session_id", "actor", "call", "reason", "root", "project", "commitment")
        values = {name: getattr(earlier, name) for name in names}
        approvers = msgspec.json.encode(earlier.approvers).decode()
        return self._open(
            {**values, "approvers": approvers, "revision": revision, "seen": project_content}, rules
        )

    def _open(self, values: dict[str, Any], rules: ApprovalRules) -> Request:
        times = self._store.times(rules.work_expires)
        self._store.expire()
        with self._store.step():
            self._end(self._store.requests.of_work(values["digest"]))
            return self._store.open({**values, **times, "tool": None, "rule": WORK}, rules)

    def sent_back(self, commitment: str, by: str, note: str | None, rules: ApprovalRules) -> None:
        """Treat sending somebody else's commitment back as a denial of what was asked about it."""
        times = self._store.times(rules.work_expires)
        note = redact_text(note, self._store.redact)
        with self._store.step():
            for request in self._store.requests.of_commitment(commitment):
                values = {"id": request.id, "by": by, "note": note, **times}
                if request.actor != by and self._store.requests.change("deny", values):
                    state = "revoked" if request.state == "approved" else "denied"
                    self._store.record(request, state, by, note=note)

    async def project_content(self, root: str) -> str | None:
        """What a project contains now; None if git cannot tell."""
        content = await self._contents.now(root)
        return None if content is None else content.text

    async def changed(self, request: Request) -> tuple[str, ...] | None:
        """The files that changed since a request was opened or answered; None if git cannot tell."""
        content = content_of(request.seen) if request.seen else None
        if content is None:
            return ()
        return await self._contents.changed(request.content.cwd, content)

    def get(self, name: str) -> Request | None:
        request = self._store.requests.get(number_of(name))
        return None if request is None else self._with_expiry(request)

    def newest(self, request: Request) -> Request:
        """The newest request in the same words."""
        return self._store.requests.of_work(request.digest) or request

    def mark_denial_delivered(self, name: str) -> None:
        """Note that the agent has heard of a denial."""
        with self._store.step():
            self._store.requests.tell(number_of(name))

    def _end(self, request: Request | None) -> None:
        """End a request under an older policy: it takes no answer any more."""
        note = "replaced by a newer request"
        if request is not None and self._store.requests.end(request.id, note):
            self._store.record(request, _EXPIRED, SYSTEM, note=note)

    def _call_bytes(self, work: WorkUnderReview) -> bytes:
        event = Event(name=EventName.STOP, cwd=work.root, project=work.root, prompt=work.text)
        return redacted_call_bytes(event, self._store.tools, self._store.redact)


def _encode_approvers(work: WorkUnderReview) -> str:
    return msgspec.json.encode((work.approvers,) if work.approvers else ()).decode()
