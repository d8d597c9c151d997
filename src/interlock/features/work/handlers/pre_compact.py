"""`hooks.preCompact`: the window is full, and the host is about to summarise it."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import PreCompactInput
from interlock.features.work.restart import restart_of
from interlock.features.work.results import PreCompactResult
from interlock.features.work.tables.sessions import COMPACTION
from interlock.features.work.transcripts.import_ import take_in

AUTO = "auto"


def pre_compact(case: Case[PreCompactInput]) -> Answer:
    """End the session and write what the next one is started with; too late to dehydrate anything.

    Only where the host does it by itself: a person who compacts goes on in the same session.
    """
    given, session = case.given, case.session
    if given.trigger != AUTO:
        return Answer(result=PreCompactResult())
    prompt = restart_of(case)
    if session is not None:
        take_in(case, session, given.transcript_path)
        if prompt is not None:
            case.work.sessions.set_restart(session.id, prompt)
        case.work.sessions.end(session.id, COMPACTION)
    killed = (
        case.rules.kill_on_compaction and case.effort is not None and case.means.end_host(given.session_id)
    )
    return Answer(
        result=PreCompactResult(session_ended=session is not None, restart_prompt=prompt, killed=killed)
    )
