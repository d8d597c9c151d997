"""What an agent is started with that goes on where a full window ended."""

from __future__ import annotations

from typing import Any

from interlock.features.work.artifacts import artifacts_in
from interlock.features.work.errors import RefusedError
from interlock.features.work.event_context import Case
from interlock.features.work.handover import Payload, read_payload
from interlock.features.work.recovery_text import recovery_block, rehydration_block, restart_prompt
from interlock.features.work.store import Work
from interlock.features.work.tables.records import Effort, Session


def restart_of(case: Case[Any]) -> str | None:
    """The prompt; None for a session that is at work on nothing."""
    session, effort, task = case.session, case.effort, case.task
    if session is None or effort is None or task is None:
        return None
    return restart_prompt(effort, task.dir_path, payload_of(case.work.sessions.handover(effort.id)))


def recovery_for(work: Work, effort: Effort, session: Session | None) -> str:
    """What a session that goes on with an effort is to read first; empty where there is nothing to tell."""
    left = work.sessions.handover(effort.id)
    payload = payload_of(left)
    if left is None or payload is None:
        return rehydration_block(artifacts_in(work.tasks.get(effort.task_id).dir_path, effort.ordinal))
    before = session.prev_session_id if session is not None else left.id
    return recovery_block(payload, again=before != left.id)


def payload_of(session: Session | None) -> Payload | None:
    """What a session left behind; one that an older version kept and nobody understands counts as none."""
    if session is None or session.dehydration_payload is None:
        return None
    try:
        return read_payload(session.dehydration_payload)
    except RefusedError:
        return None
