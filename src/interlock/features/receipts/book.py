"""Recorded calls and step marks in the store: each row is written with its decision, or not at all."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
import stat
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, Staged, project_of
from interlock.effects.classification.classify import Repeat, Replay, SideEffect
from interlock.errors import FailureKind, HookFailedError, StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.features.receipts.tool_ledger import ToolLedger
from interlock.ledger.entry import Head
from interlock.ledger.writer import LedgerWriter
from interlock.store.errors import explain
from interlock.store.statements import statements

_MOST: Final = 256 * 1024  # bytes read of a file; refs beyond that are not searched
_UPWARDS: Final = 64  # parent folders searched for `.git`
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF: Final = re.compile(r"refs/[\w./+@-]{1,200}", re.ASCII)


def project_head(folder: str) -> JsonObject | None:
    """The `ref` and `commit` of the repository around a folder, without running git; None: no repository."""
    try:
        git = _find_git_folder(Path(folder)) if folder.startswith("/") else None
        if git is None:
            return None
        head = _read(git / "HEAD")
        if not head.startswith("ref: "):
            return {"commit": head} if _COMMIT.fullmatch(head) else None
        ref = head.removeprefix("ref: ")
        if not _REF.fullmatch(ref) or ".." in ref:
            return None
        commit = _find_commit(git, ref)
    except (OSError, ValueError):
        return None
    return {"ref": ref, "commit": commit} if commit else {"ref": ref}


def _find_git_folder(folder: Path) -> Path | None:
    for place in [folder, *folder.parents][:_UPWARDS]:
        git = place / ".git"
        try:
            mode = git.lstat().st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            return git
        if stat.S_ISREG(mode):  # a worktree: the file says where its folder is
            return place / _read(git).removeprefix("gitdir: ")
    return None


def _find_commit(git: Path, ref: str) -> str | None:
    common = git / (_read_if_there(git / "commondir") or ".")  # worktrees share their refs
    found = _read_if_there(git / ref) or _read_if_there(common / ref)
    if found:
        return found if _COMMIT.fullmatch(found) else None
    for line in _read_if_there(common / "packed-refs").splitlines():
        commit, _, name = line.partition(" ")
        if name == ref and _COMMIT.fullmatch(commit):
            return commit
    return None


def _read_if_there(path: Path) -> str:
    try:
        return _read(path)
    except OSError:
        return ""


def _read(path: Path) -> str:
    """Read a short file; anything else is an error, because a pipe in its place would block every call."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is not a file")
        return file.read(_MOST).decode("utf-8", "replace").strip()


_MOST_SESSIONS: Final = 4_096  # sessions
# These begin a new step. So does a restart of the daemon, which remembers no steps.
_ANEW: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START})


class StepMark(msgspec.Struct, frozen=True, kw_only=True):
    """The state before the first call of its kind in a step."""

    step: str
    session_id: str
    kind: str  # `read_only` or `side_effect`
    call: str
    taken_at: str
    state: JsonObject


class Steps:
    """The steps of sessions and their marks; the caller begins and ends the transaction."""

    def __init__(self, connection: sqlite3.Connection, ledger: LedgerWriter, calls: ToolLedger) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._calls: Final = calls
        self._current: Final[OrderedDict[str, str]] = OrderedDict()
        self._sql: Final = statements("receipts")

    def follow(self, event: Event) -> None:
        """End the current step at a prompt; a sub-agent's prompt belongs to the step that started it."""
        if event.name in _ANEW and event.agent_id is None:
            self._current.pop(event.session_id, None)

    def current(self, session: str) -> str:
        step = self._current.get(session)
        if step is None:
            step = self._current[session] = f"st_{secrets.token_hex(5)}"
            if len(self._current) > _MOST_SESSIONS:
                self._current.popitem(last=False)
        return step

    def mark(self, step: str, call: str, note: CallNote) -> None:
        """Record the current state, unless the step already has a mark of this kind."""
        kind = "read_only" if note.call.effect is SideEffect.READ_ONLY else "side_effect"
        # The store is asked each time: a mark that was written may have been rolled back.
        if self._run("is_marked", step=step, kind=kind).fetchone() is not None:
            return
        now, event = self._calls.now(), note.event
        state = self._calls.without_secrets(_state_of(event, self._ledger.head))
        self._run("step", step=step, session_id=event.session_id, now=now)
        self._run("mark", step=step, kind=kind, call=call, now=now, state=state)

    def _run(self, statement: str, **named: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[statement], named)


def _state_of(event: Event, head: Head) -> JsonObject:
    """The end of the ledger, the folder, its commit, and how long the transcript is."""
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


_REMEMBERED: Final = 4_096
# Interlock cannot see what such a call has left behind.
_ELSEWHERE: Final = frozenset({SideEffect.EXTERNAL, SideEffect.MEMORY})

# The agent's turn is over, or another one begins: none of its calls is still running.
_OVER: Final = frozenset({EventName.STOP, EventName.STOP_FAILURE, EventName.USER_PROMPT_SUBMIT})
_CallKey = tuple[str, str]  # session, and the host's id of the call


class _Begun(NamedTuple):
    """A call that this process prepared."""

    at: float
    main: bool  # by the main agent; a sub-agent may go on when the turn is over
    elsewhere: bool


class ReceiptStore:
    """Stages what hooks see; `settle` writes it into the transaction that the ledger's next flush ends."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        calls: ToolLedger,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger: Final = ledger
        self._calls: Final = calls
        self._clock: Final = clock
        self._steps: Final = Steps(connection, ledger, calls)
        self._staged: Final = Staged()
        self._begun: Final[OrderedDict[_CallKey, _Begun]] = OrderedDict()

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call and return an earlier one like it; a call that cannot be recorded must not run."""
        try:
            note = msgspec.structs.replace(note, identity=self._calls.identity(note))
            key = self._calls.key(note)
            looks = note.repeat is not Repeat.ALLOW and note.call.replay is Replay.EXACT
            found = self._calls.earlier(key, note) if looks else None
        except (ValueError, sqlite3.Error, StoreError) as error:
            raise HookFailedError(FailureKind.CRASH, f"the call cannot be recorded: {_why(error)}") from error
        busy = looks and next(self._staged.others(note, key), None) is not None
        self._staged.put(note, key)
        return found or (Earlier(name="", status="prepared") if busy else None)

    def close(self, note: CallNote) -> None:
        self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        if event.tool is None:
            self._look_back(event)
            self._steps.follow(event)
            return
        note = self._staged.take(event) if self._staged.notes else None
        if note is None:
            return
        if event.name != EventName.PRE_TOOL_USE:
            with self.step():
                self._end(note)
        elif decision.vote is not Vote.DENY:
            with self.step():
                final, step = final_note(note, decision), self._steps.current(event.session_id)
                self._steps.mark(step, self._calls.prepare(final, step), final)
            self._begun[_call_key(event)] = _Begun(
                self._clock(), event.agent_id is None, note.call.effect in _ELSEWHERE
            )
            if len(self._begun) > _REMEMBERED:
                self._begun.popitem(last=False)

    def withdraw(self, event: Event) -> None:
        """Undo what was staged or written for a call that was refused after all."""
        self._staged.take(event)
        place = _call_key(event)
        if event.name == EventName.PRE_TOOL_USE and self._begun.pop(place, None) is not None:
            with suppress(StoreError), self.step():
                self._calls.withdraw(*place)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Make several changes as one, inside the transaction that the ledger's next flush ends."""
        try:
            with self._ledger.step("receipts"):
                yield
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(f"the call cannot be recorded: {_why(error)}") from error

    def _end(self, note: CallNote) -> None:
        event = note.event
        name = self._calls.open_of(note)
        if event.name == EventName.PERMISSION_DENIED:  # by the host, after us: the call never ran
            why = event.extra.get("reason")
            if name is not None:
                self._calls.failed(name, code="refused", detail=why if isinstance(why, str) else None)
            return
        if name is None:  # nobody saw it begin: the hook is newer than the call
            name = self._calls.prepare(note)
        duration = self._duration(event)
        if event.name == EventName.POST_TOOL_USE:
            self._calls.receive(name, event.tool_output)
            self._calls.succeeded(name, duration=duration)
            return
        code = "interrupted" if event.extra.get("is_interrupt") is True else "error"
        waits = note.call.effect in _ELSEWHERE
        self._calls.failed(name, code=code, detail=event.error, duration=duration, waits=waits)

    def _look_back(self, event: Event) -> None:
        """Mark calls of a finished turn that the host never ended as not run: the user declined them.

        This is a guess, so it is made only for calls whose effect the agent can check itself. When a session
        starts again, its host may have died during the call, so nothing is concluded.
        """
        if not self._begun or event.name not in _OVER | {EventName.SESSION_START}:
            return
        mine = [place for place in self._begun if place[0] == event.session_id]
        if event.name == EventName.SESSION_START:
            for place in mine:
                del self._begun[place]
            return
        idle = [place for place in mine if self._begun[place].main and not self._begun[place].elsewhere]
        if idle and event.agent_id is None:
            with self.step():
                for place in idle:
                    self._calls.withdraw(*place, code="not_run")
            for place in idle:
                del self._begun[place]

    def _duration(self, event: Event) -> float | None:
        """The host's own duration, or the time since this process saw the call begin."""
        begun = self._begun.pop(_call_key(event), None)
        reported = event.extra.get("duration_ms")
        if isinstance(reported, int | float) and not isinstance(reported, bool) and reported >= 0:
            return float(reported)
        return None if begun is None else round((self._clock() - begun.at) * 1000, 3)


def final_note(note: CallNote, decision: Decision) -> CallNote:
    """The note with the input as the hooks left it, which is what runs."""
    final, tool = decision.updated_input, note.event.tool
    if final is None or tool is None or final == tool.input:
        return note
    return msgspec.structs.replace(note, event=note.event.with_input(final), identity=None)


def _call_key(event: Event) -> _CallKey:
    return event.session_id, (event.tool.use_id or "") if event.tool else ""


def _why(error: Exception) -> str:
    return explain(error) if isinstance(error, sqlite3.Error) else str(error)
