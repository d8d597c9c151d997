"""`hooks.subagentStart`, `subagentStop` and `teammateIdle`: those an agent works with."""

from __future__ import annotations

from pathlib import PurePath

from interlock.features.work.efforts.recovery_text import joined
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import SubagentStartInput, SubagentStopInput, TeammateIdleInput
from interlock.features.work.records import Agent, Effort, Skill
from interlock.features.work.results import SubagentStartResult, SubagentStopResult, TeammateIdleResult
from interlock.features.work.sessions.messages import take_in, transcript_of


def subagent_start(case: Case[SubagentStartInput]) -> Answer:
    """A session of its own beside its parent's, which goes on; nothing where the parent has no effort."""
    given, work = case.given, case.work
    parent = work.sessions.open_of(given.session_id)
    if parent is None or parent.effort_id is None:
        return Answer(result=SubagentStartResult())
    effort = work.efforts.get(parent.effort_id)
    session = work.sessions.start(
        host=parent.host,
        host_session_id=given.session_id,
        agent_id=given.agent_id,
        effort=effort,
        transcript_path=transcript_of(case) or None,
    )
    template = _log_template(work.skills.get(case.ids.project_id, effort.skill))
    result = SubagentStartResult(
        session_id=session.id,
        effort_id=effort.id,
        log_template=template,
        directives=effort.discovered_directives,
        effort_metadata=effort.metadata,
    )
    return Answer(result=result, context=_context(case, effort, template))


def _log_template(skill: Skill | None) -> str | None:
    """Where the skill says how a log entry looks."""
    templates = skill.templates if skill else ()
    return next((path for path in templates if "LOG" in PurePath(path).name.upper()), None)


def _context(case: Case[SubagentStartInput], effort: Effort, template: str | None) -> str:
    phase = f", phase `{effort.current_phase}`" if effort.current_phase else ""
    first = (
        f"[Effort] You work for effort {effort.name} (`{effort.skill}`{phase}). Write down what you find "
        f'with `{case.program} log "…"` at least every {case.block_after(effort)} tool calls.'
    )
    read = "\n".join(f"- {path}" for path in effort.discovered_directives)
    return joined(
        [
            first,
            f"Log entries look like those in `{template}`." if template else None,
            f"Directives that hold here:\n{read}" if read else None,
        ]
    )


KEY = "loadedFiles"  # in an effort's metadata
_MOST = 500


def subagent_stop(case: Case[SubagentStopInput]) -> Answer:
    """End its session and no other; its files go to the effort it shared with its parent."""
    given, work = case.given, case.work
    session = work.sessions.open_of(given.session_id, given.agent_id)
    if session is None:
        return Answer(result=SubagentStopResult())
    take_in(case, session, given.agent_transcript_path)
    work.sessions.end(session.id, "subagent_stop")
    if session.effort_id is None or not session.loaded_files:
        return Answer(result=SubagentStopResult(session_ended=True))
    effort = work.efforts.get(session.effort_id)
    known = effort.metadata.get(KEY)
    files = [one for one in known if isinstance(one, str)] if isinstance(known, list) else []
    new = [path for path in session.loaded_files if path not in files]
    work.efforts.set_metadata(effort.id, {**effort.metadata, KEY: [*files, *new][-_MOST:]})
    return Answer(result=SubagentStopResult(session_ended=True, merged_files=tuple(new)))


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
