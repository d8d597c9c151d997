"""The rows of the work, and what its tables share: named statements in, records out."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, TypeVar, get_origin, get_type_hints

import msgspec

from interlock.errors import RefusedRequestError, StoreError
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

_NAMED: Final = re.compile(r"[eE](\d{1,18})")
STATUSES: Final = ("working", "idle", "attention", "error", "done")  # what hooks may say of an agent


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that agents work in."""

    id: int
    path: str  # absolute and resolved
    name: str | None = None
    created_at: str


class Skill(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a skill's own file says."""

    id: int = 0  # of no row yet
    project_id: int = 0
    name: str
    description: str | None = None
    version: str | None = None
    phases: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    cmd_dependencies: tuple[str, ...] = ()
    next_skills: tuple[str, ...] = ()
    directives: tuple[str, ...] = ()
    updated_at: str = ""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A container of work, known by its folder; it never finishes."""

    id: int
    dir_path: str
    project_id: int
    workspace: str | None = None
    title: str | None = None
    description: str | None = None
    keywords: str | None = None  # separated by commas
    created_at: str


class TaskSummary(Task, frozen=True, kw_only=True):
    effort_count: int
    active_count: int
    state: str  # active or dormant
    last_activity: str


def effort_name(number: int) -> str:
    """How an effort is written wherever somebody reads of it: `e16`."""
    return f"e{number}"


def effort_number(text: str) -> int | None:
    """The number in `e16`; None for any other text."""
    match = _NAMED.fullmatch(text)
    return int(match[1]) if match else None


class Effort(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a skill; it outlives the sessions that work on it."""

    id: int
    task_id: int
    skill: str
    mode: str | None = None
    ordinal: int  # within the task; only the names of its artifacts begin with it
    lifecycle: str = "active"
    current_phase: str | None = None
    discovered_directives: tuple[str, ...] = ()
    discovered_directories: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    created_at: str
    finished_at: str | None = None
    resumed_at: str | None = None

    @property
    def name(self) -> str:
        return effort_name(self.id)

    @property
    def active(self) -> bool:
        return self.lifecycle == "active"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One context window; it is ended and never resumed."""

    id: int
    host: str
    host_session_id: str  # the agent's own name for it
    agent_id: str | None = None  # of a sub-agent
    task_id: int | None = None
    effort_id: int | None = None  # None until it takes part in one
    prev_session_id: int | None = None
    pid: int | None = None
    heartbeat_counter: int = 0
    heartbeat_interval: int = 10
    last_heartbeat: str | None = None
    context_usage: float | None = None  # 0 to 1
    loaded_files: tuple[str, ...] = ()
    preloaded_files: tuple[str, ...] = ()
    pending_injections: tuple[dict[str, Any], ...] = ()
    discovered_directives: tuple[str, ...] = ()
    discovered_directories: tuple[str, ...] = ()
    dehydration_payload: dict[str, Any] | None = None
    taken_up_at: str | None = None  # when a later session had written something down
    transcript_path: str | None = None
    transcript_offset: int = 0
    created_at: str
    ended_at: str | None = None
    end_reason: str | None = None
    restart_prompt: str | None = None  # what an agent that takes over is started with
    recent_calls: tuple[str, ...] = ()  # the last that counted, so that none counts twice

    @property
    def open(self) -> bool:
        """Whether the window is still there, as far as we know."""
        return self.ended_at is None


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody at work, under a name that outlives its sessions."""

    id: str
    label: str | None = None
    claims: tuple[Any, ...] = ()
    targeted_claims: tuple[Any, ...] = ()
    manages: tuple[Any, ...] = ()
    parent: str | None = None
    effort_id: int | None = None
    status: str = "idle"
    status_at: str | None = None
    checked_at: str | None = None  # when a person last looked
    host_session_id: str | None = None  # the session it is in
    pane: str | None = None  # of tmux
    tmux: str | None = None  # the server and session the pane belongs to


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as people see it among the others."""

    agent: str
    label: str | None
    status: str
    shown: str  # the status, `unchecked` for an end nobody has looked at, `gone` for one that was killed
    priority: int  # the smallest number is looked at first
    status_at: str | None
    checked_at: str | None
    parent: str | None
    manages: tuple[Any, ...]
    pane: str | None
    tmux: str | None
    host_session_id: str | None
    effort_id: int | None
    skill: str | None
    mode: str | None
    ordinal: int | None
    lifecycle: str | None
    current_phase: str | None
    block_after: int | None  # the effort's own
    task_dir: str | None
    session_id: int | None
    heartbeat_counter: int | None
    context_usage: float | None
    last_heartbeat: str | None


class Message(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    session_id: int
    role: str
    content: str
    tool_name: str | None = None
    timestamp: str


class PhaseChange(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    effort_id: int
    phase_label: str
    proof: Any = None
    reason: str | None = None  # why it is out of order
    created_at: str


class Ids(msgspec.Struct, frozen=True, kw_only=True):
    """Where an event belongs; None for what is not known."""

    project_id: int | None = None
    effort_id: int | None = None
    session_id: int | None = None


Record = TypeVar("Record", bound=msgspec.Struct)
_TROUBLE: Final = "the state of the work cannot be used"


class Table:
    """Runs on the connection it is given; the caller begins and ends the transaction."""

    file: ClassVar[str]  # of its statements

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements(self.file)

    def _now(self) -> str:
        return timestamp(self._clock())

    def _run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        """Run a statement, which may use `:now`; lists and mappings are stored as JSON."""
        written = {
            key: as_json(value) if isinstance(value, list | dict) else value for key, value in values.items()
        }
        with explain_errors(_TROUBLE):
            return self._connection.execute(self._sql[name], {"now": self._now(), **written})

    def _find(self, kind: type[Record], name: str, /, **values: Any) -> Record | None:
        rows = self._find_all(kind, name, **values)
        return rows[0] if rows else None

    def _require(self, kind: type[Record], name: str, /, **values: Any) -> Record:
        """A row that is there, since it was just written or seen."""
        row = self._find(kind, name, **values)
        if row is None:
            raise StoreError(f"a row of `{self.file}` is missing; check the database file")
        return row

    def _require_id(self, kind: type[Record], number: int, name: str, listing: str, **details: Any) -> Record:
        """The row of a number; raise RefusedError, with the command that lists them, when there is none."""
        row = self._find(kind, "get", id=number)
        if row is None:
            raise RefusedError(Code.NOT_FOUND, f"there is no {name}", f"run {listing}", **details)
        return row

    def _add_directives(
        self, holder: Session | Effort, paths: Iterable[str], directories: Iterable[str]
    ) -> list[str]:
        """Remember what was found and where was looked; gives what is new."""
        directives = with_more(holder.discovered_directives, paths)
        places = with_more(holder.discovered_directories, directories)
        self._run("set_directives", id=holder.id, directives=directives, directories=places)
        return directives[len(holder.discovered_directives) :]

    def _find_all(self, kind: type[Record], name: str, /, **values: Any) -> list[Record]:
        cursor = self._run(name, **values)
        with explain_errors(_TROUBLE):
            rows = cursor.fetchall()
        names = [column[0] for column in cursor.description or ()]
        return [record_of(kind, dict(zip(names, row, strict=True))) for row in rows]


def record_of(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """A row as its record; columns the record does not name are left out."""
    values = {name: row[name] for name in kind.__struct_fields__ if name in row}
    for name in _json_fields(kind) & values.keys():
        text = values.pop(name)
        if text is not None:
            value = msgspec.json.decode(text)
            values[name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)


def as_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def with_more(known: Iterable[str], more: Iterable[str]) -> list[str]:
    """A list with what it lacks, in the order of arrival."""
    return list(dict.fromkeys([*known, *more]))


@cache
def _json_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that are stored as JSON: tuples, dictionaries and what may be anything."""
    hints = get_type_hints(kind)
    return frozenset(name for name in kind.__struct_fields__ if _is_json(hints[name]))


def _is_json(hint: Any) -> bool:
    kinds = (hint, *getattr(hint, "__args__", ()))
    return hint is Any or any(get_origin(kind) in {tuple, dict} for kind in kinds)


class Code(StrEnum):
    NOT_FOUND = "NOT_FOUND"
    ALREADY_ENDED = "ALREADY_ENDED"
    ALREADY_FINISHED = "ALREADY_FINISHED"
    UNKNOWN_PHASE = "UNKNOWN_PHASE"
    PHASE_NOT_SEQUENTIAL = "PHASE_NOT_SEQUENTIAL"
    BAD_PAYLOAD = "BAD_PAYLOAD"
    BAD_STATUS = "BAD_STATUS"
    NO_EFFORT = "NO_EFFORT"
    NO_SESSION = "NO_SESSION"
    NOT_YOURS = "NOT_YOURS"
    VALIDATION_ERROR = "VALIDATION_ERROR"


class RefusedError(RefusedRequestError):
    """Nothing was done, and nothing was written."""

    code: Code


def invalid(sentence: str, next_step: str, **details: Any) -> RefusedError:
    """The refusal of a request that is wrong in itself."""
    return RefusedError(Code.VALIDATION_ERROR, sentence, next_step, **details)
