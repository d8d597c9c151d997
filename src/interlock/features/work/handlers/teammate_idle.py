"""`hooks.teammateIdle`: a member of a team has nothing more to do."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import TeammateIdleInput
from interlock.features.work.results import TeammateIdleResult
from interlock.features.work.tables.records import Agent

_RULE = "teammate-idle"


def teammate_idle(case: Case[TeammateIdleInput]) -> Answer:
    """The teammate is done, and whoever coordinates it is told after its next call."""
    given = case.given
    teammate = _teammate(case)
    updated = teammate is not None and case.work.agents.set_status(teammate.id, "done")
    signaled = _signal(case, teammate)
    content = {"event": "teammate_idle", "teammateName": given.teammate_name, "teamName": given.team_name}
    logged = case.note(case.session, content)
    return Answer(
        result=TeammateIdleResult(agent_updated=updated, coordinator_signaled=signaled, message_logged=logged)
    )


def _teammate(case: Case[TeammateIdleInput]) -> Agent | None:
    """By its name, as an id or as a label; a named agent that reports itself is meant too."""
    found = case.work.agents.named(case.given.teammate_name)
    return found or (case.agent if case.named else None)


def _coordinator(case: Case[TeammateIdleInput], teammate: Agent | None) -> Agent | None:
    """Who was said to manage it or its team, else its parent."""
    given, agents = case.given, case.work.agents
    names = (given.teammate_name, given.team_name, *([teammate.id] if teammate else []))
    declared = case.rules.coordinator_of(names)
    if declared is not None:
        return agents.named(declared)
    return agents.coordinator_of(teammate, names) if teammate is not None else None


def _signal(case: Case[TeammateIdleInput], teammate: Agent | None) -> bool:
    given, coordinator = case.given, _coordinator(case, teammate)
    if coordinator is None or coordinator.host_session_id is None:
        return False
    session = case.work.sessions.open_of(coordinator.host_session_id)
    if session is None:
        return False
    told = {
        "ruleId": _RULE,
        "content": f"`{given.teammate_name}` of the team `{given.team_name}` is idle: give it work.",
    }
    if told not in session.pending_injections:
        case.work.sessions.set_pending(session.id, [*session.pending_injections, told])
    return True
