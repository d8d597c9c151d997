"""The work as it is told to people and programs: rows of lists, and one thing with all that belongs to it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.features.work.efforts.files import artifacts_in
from interlock.features.work.records import Effort, Session, Task
from interlock.features.work.store import WorkStore

_SHOWN: Final = 50  # of what belongs to one thing


def as_plain(record: msgspec.Struct) -> dict[str, Any]:
    """A record as a document."""
    document: dict[str, Any] = msgspec.to_builtins(record)
    return document


def effort_row(work: WorkStore, effort: Effort) -> dict[str, Any]:
    """An effort with its folder and the session that works on it."""
    session = work.sessions.open_main_of(effort.id)
    held = None
    if session is not None:
        held = {name: getattr(session, name) for name in ("id", "host_session_id", "heartbeat_counter")}
        held["context_usage"] = session.context_usage
    return {**as_plain(effort), "task_dir": work.tasks.get(effort.task_id).dir_path, "session": held}


def effort_details(work: WorkStore, effort: Effort) -> dict[str, Any]:
    """An effort with its phases, sessions and files."""
    task = work.tasks.get(effort.task_id)
    sessions = work.sessions.listed(effort_id=effort.id, most=_SHOWN)
    files = artifacts_in(task.dir_path, effort.ordinal)
    return {
        **effort_row(work, effort),
        "task": as_plain(task),
        "phases": [str(label) for label in work.phases.declared(effort)],
        "history": [as_plain(change) for change in work.phases.of_effort(effort.id)],
        "sessions": [session_row(one) for one in sessions],
        "artifacts": [as_plain(one) for one in files[:_SHOWN]],
    }


def task_details(work: WorkStore, task: Task) -> dict[str, Any]:
    """A task with its efforts."""
    efforts = work.efforts.listed(task_id=task.id, most=_SHOWN)
    return {**as_plain(work.tasks.summary(task.id)), "efforts": [effort_row(work, one) for one in efforts]}


def session_row(session: Session) -> dict[str, Any]:
    """A session without what fills a page."""
    row = as_plain(session)
    for name in ("recent_calls", "dehydration_payload", "pending_injections"):
        del row[name]
    return {**row, "open": session.open, "dehydrated": session.dehydration_payload is not None}


def session_details(work: WorkStore, session: Session, messages: int) -> dict[str, Any]:
    """A session with its effort, what it left behind, and the last that was said."""
    effort = work.efforts.get(session.effort_id) if session.effort_id is not None else None
    return {
        **as_plain(session),
        "open": session.open,
        "dehydrated": session.dehydration_payload is not None,
        "effort": effort_row(work, effort) if effort else None,
        "message_count": work.messages.count(session.id),
        "messages": [as_plain(one) for one in work.messages.of_session(session.id, messages)]
        if messages
        else [],
    }
