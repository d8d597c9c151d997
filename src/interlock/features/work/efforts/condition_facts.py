"""What conditions may ask about the work of a session: how full its window is, where its effort stands."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

import msgspec

from interlock.errors import StoreError
from interlock.events.names import EventName
from interlock.features.work.errors import RefusedError
from interlock.features.work.records import Effort, Session
from interlock.features.work.store import WorkStore

CALLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE})


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Of a session that is at work on an effort."""

    session: dict[str, Any]
    effort: dict[str, Any]


def facts_of(work: WorkStore, host_session_id: str, agent_id: str | None) -> Facts | None:
    """The facts; None for a session that is at work on nothing, and where nothing can be read."""
    try:
        session = work.sessions.open_of(host_session_id, agent_id) if host_session_id else None
        if session is None or session.effort_id is None:
            return None
        effort = work.efforts.get(session.effort_id)
        task = work.tasks.get(effort.task_id)
    except (sqlite3.Error, StoreError, RefusedError):
        return None
    return Facts(session=_of_session(session), effort=_of_effort(effort, task.dir_path))


def _of_session(session: Session) -> dict[str, Any]:
    """Without what is not known, so that a condition can ask whether it is."""
    known: dict[str, Any] = {"heartbeat_counter": session.heartbeat_counter}
    return known if session.context_usage is None else {**known, "context_usage": session.context_usage}


def _of_effort(effort: Effort, task: str) -> dict[str, Any]:
    return {
        "id": effort.id,
        "skill": effort.skill,
        "mode": effort.mode,
        "phase": effort.current_phase,
        "ordinal": effort.ordinal,
        "task": task,
    }
