"""What an agent is started with that goes on where a full window ended."""

from __future__ import annotations

from typing import Any

from interlock.work.case import Case
from interlock.work.payload import Payload, read_payload
from interlock.work.records import Session
from interlock.work.recovery import restart_prompt
from interlock.work.refusal import RefusedError


def restart_of(case: Case[Any]) -> str | None:
    """The prompt; None for a session that is at work on nothing."""
    session, effort, task = case.session, case.effort, case.task
    if session is None or effort is None or task is None:
        return None
    return restart_prompt(effort, task.dir_path, payload_of(session))


def payload_of(session: Session | None) -> Payload | None:
    """What a session left behind; one that an older version kept and nobody understands counts as none."""
    if session is None or session.dehydration_payload is None:
        return None
    try:
        return read_payload(session.dehydration_payload)
    except RefusedError:
        return None
