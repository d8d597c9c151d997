"""The steps of a session, and where things stood before the first calls of each."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import stat
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.effects.classification.book import CallNote, project_of
from interlock.effects.classification.classify import SideEffect
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.ledger.chain import Head
from interlock.store.statements import statements

_MOST: Final = 256 * 1024  # bytes of a file; more refs than that are not searched
_UPWARDS: Final = 64
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF: Final = re.compile(r"refs/[\w./+@-]{1,200}", re.ASCII)


def project_head(folder: str) -> JsonObject | None:
    """`ref` and `commit` of the repository around a folder, as far as they can be told; None: none."""
    try:
        found = _git_folder(Path(folder)) if folder.startswith("/") else None
        if found is None:
            return None
        head = _text(found / "HEAD")
        if not head.startswith("ref: "):
            return {"commit": head} if _COMMIT.fullmatch(head) else None
        ref = head.removeprefix("ref: ")
        if not _REF.fullmatch(ref) or ".." in ref:
            return None
        commit = _commit(found, ref)
    except (OSError, ValueError):
        return None
    return {"ref": ref, "commit": commit} if commit else {"ref": ref}


def _git_folder(folder: Path) -> Path | None:
    for place in [folder, *folder.parents][:_UPWARDS]:
        git = place / ".git"
        try:
            mode = git.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            return git
        if stat.S_ISREG(mode):  # a worktree: the file says where its folder is
            written = _text(git).removeprefix("gitdir: ")
            return place / written
    return None


def _commit(git: Path, ref: str) -> str | None:
    common = git / (_maybe(git / "commondir") or ".")  # worktrees share their refs
    found = _maybe(git / ref) or _maybe(common / ref)
    if found:
        return found if _COMMIT.fullmatch(found) else None
    for line in _maybe(common / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit
    return None


def _maybe(path: Path) -> str:
    try:
        return _text(path)
    except OSError:
        return ""


def _text(path: Path) -> str:
    """A short file; what is not a file is an error, for a pipe in its place would hold everybody up."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is not a file")
        return file.read(_MOST).decode("utf-8", "replace").strip()


_REMEMBERED: Final = 4_096  # sessions
# With these another piece of work begins; a daemon that starts remembers no step, so then one begins too.
_ANEW: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START})


class StepMark(msgspec.Struct, frozen=True, kw_only=True):
    """Where things stood before the first call of its kind in a step."""

    step: str
    session_id: str
    kind: str  # `read_only` or `side_effect`
    call: str
    taken_at: str
    state: JsonObject


class Steps:
    """Writes on the connection it is given; the caller begins and ends the transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        head: Callable[[], Head],
        now: Callable[[], str],
        told: Callable[[JsonObject], str],
    ) -> None:
        self._connection: Final = connection
        self._head: Final = head
        self._now: Final = now
        self._told: Final = told
        self._current: Final[OrderedDict[str, str]] = OrderedDict()
        self._sql: Final = statements("receipts")

    def follow(self, event: Event) -> None:
        """A prompt ends the step before it; those of sub-agents belong to the step that started them."""
        if event.name in _ANEW and event.agent_id is None:
            self._current.pop(event.session_id, None)

    def current(self, session: str) -> str:
        """The step a session is in."""
        step = self._current.get(session)
        if step is None:
            step = self._current[session] = f"st_{secrets.token_hex(5)}"
            while len(self._current) > _REMEMBERED:
                self._current.popitem(last=False)
        return step

    def mark(self, step: str, call: str, note: CallNote) -> None:
        """Keep where things stand, unless a call of this kind came before in the step."""
        kind = "read_only" if note.call.effect is SideEffect.READ_ONLY else "side_effect"
        # Asked of the store and not remembered: what was written may have been undone with its transaction.
        if self._run("is_marked", step=step, kind=kind).fetchone() is not None:
            return
        now, event = self._now(), note.event
        state = self._told(state_of(event, self._head()))
        self._run("step", step=step, session_id=event.session_id, now=now)
        self._run("mark", step=step, kind=kind, call=call, now=now, state=state)

    def _run(self, statement: str, **named: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[statement], named)


def mark_of(row: tuple[Any, ...]) -> StepMark:
    """A mark as the database gives it."""
    *about, state = row
    fields = dict(zip(StepMark.__struct_fields__, about, strict=False))
    return StepMark(**fields, state=msgspec.json.decode(state))


def state_of(event: Event, head: Head) -> JsonObject:
    """What is needed to find back: the end of the ledger, the place, its commit, and how far the talk was."""
    state: JsonObject = {
        "ledger": {"seq": head.seq, "hash": head.hash.hex()},
        "cwd": event.cwd,
        "project": project_of(event),
        "commitment_id": event.commitment_id,
        "permission_mode": event.permission_mode,
        "transcript": _transcript(event.transcript_path),
        "git": project_head(event.cwd),
    }
    return {name: value for name, value in state.items() if value}


def _transcript(path: str | None) -> JsonObject | None:
    if not path or not os.path.isabs(path):
        return None
    try:
        return {"path": path, "bytes": os.lstat(path).st_size}
    except (OSError, ValueError):
        return {"path": path}
