"""`hooks.sessionEnd`: the window closes, by itself or interrupted."""

from __future__ import annotations

from interlock.features.work.agent_notice import Happening, Kind
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import SessionEndInput
from interlock.features.work.results import SessionEndResult
from interlock.features.work.transcripts.import_ import take_in


def session_end(case: Case[SessionEndInput]) -> Answer:
    """End the session if it has not ended yet; the agent is done, and people hear of it."""
    given, session = case.given, case.session
    if session is not None:
        take_in(case, session, given.transcript_path)
        case.work.sessions.end_all(given.session_id, given.reason or None)
    updated = case.mark("done")
    if session is not None or updated:
        case.means.announce(
            Happening(
                kind=Kind.ENDED,
                agent=case.agent_id,
                label=case.label,
                session_id=given.session_id,
                text=f"the session has ended ({given.reason or 'no reason given'})",
                notify=case.rules.notify,
            )
        )
    return Answer(result=SessionEndResult(session_ended=session is not None, agent_updated=updated))
