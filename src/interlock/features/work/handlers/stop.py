"""`hooks.stop`: the agent's turn is over; its session is not."""

from __future__ import annotations

from interlock.features.work.agent_notice import Happening, Kind
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.exhaustion import Exhaustion, exhausted_by, exhaustion_in
from interlock.features.work.inputs import StopInput
from interlock.features.work.restart import restart_of
from interlock.features.work.results import StopResult
from interlock.features.work.transcripts.import_ import take_in

_WORDS = {
    Exhaustion.RATE_LIMIT: "it has met a rate limit and waits",
    Exhaustion.CONTEXT: "its context window is exhausted; `interlock watch` would start it anew",
}


def stop(case: Case[StopInput]) -> Answer:
    """The agent is done, unless something ran out: then it did not stop by itself, and people hear of it."""
    given = case.given
    # One that was handed over has ended, but what was said in the rest of the turn is still its own.
    session = case.session or case.work.sessions.last_of(given.session_id)
    take_in(case, session, given.transcript_path)
    ran_out = exhaustion_in(given.transcript_path) if given.transcript_path else None
    if ran_out is None and case.turn_failed:
        ran_out = exhausted_by(given.last_assistant_message or "")
    updated = case.mark("error" if ran_out or case.turn_failed else "done")
    if ran_out is not None:
        _tell(case, ran_out)
    return Answer(result=StopResult(agent_updated=updated, exhaustion=ran_out and str(ran_out)))


def _tell(case: Case[StopInput], ran_out: Exhaustion) -> None:
    session = case.session
    if session is not None and ran_out is Exhaustion.CONTEXT:
        case.work.sessions.set_restart(session.id, restart_of(case))
    case.means.announce(
        Happening(
            kind=Kind.EXHAUSTED,
            agent=case.agent_id,
            label=case.label,
            session_id=case.given.session_id,
            text=_WORDS[ran_out],
            notify=case.rules.notify,
        )
    )
