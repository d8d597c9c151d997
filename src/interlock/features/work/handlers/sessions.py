"""`hooks.sessionStart`, `userPrompt`, `preCompact`, `stop` and `sessionEnd`: the life of a window."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.features.work.efforts.added_context import read_preloads
from interlock.features.work.efforts.recovery_text import (
    context_line,
    files_block,
    joined,
    payload_of,
    recovery_for,
    restart_of,
)
from interlock.features.work.event_context import Answer, Case, Happening, Kind
from interlock.features.work.inputs import (
    PreCompactInput,
    SessionEndInput,
    SessionStartInput,
    StopInput,
    UserPromptInput,
)
from interlock.features.work.records import Effort, Session, Skill
from interlock.features.work.results import (
    PreCompactResult,
    SessionEndResult,
    SessionStartResult,
    StopResult,
    UserPromptResult,
)
from interlock.features.work.sessions.messages import take_in
from interlock.features.work.sessions.tables import COMPACTION
from interlock.features.work.sessions.usage import Exhaustion, exhausted_by, exhaustion_in
from interlock.features.work.skills.project_skills import skill_folders, skill_of
from interlock.store.clock import timestamp

_OWN: Final = ("id", "projectId", "updatedAt")  # of the row, and nobody else's business


def session_start(case: Case[SessionStartInput]) -> Answer:
    """Always a new session; what the one before left behind is in its first context."""
    effort = _effort(case)
    case.means.usage.note_model(case.given.transcript_path, case.given.model)
    session = case.work.sessions.start(
        host=case.host,
        host_session_id=case.given.session_id,
        effort=effort,
        transcript_path=case.given.transcript_path or None,
    )
    if effort is not None and (case.agent is None or case.agent.effort_id != effort.id):
        case.work.agents.leave(effort.id)  # one agent is at work on an effort, and it is this one now
    case.work.agents.seen(
        case.agent_id,
        label=case.label,
        effort_id=effort.id if effort else None,
        host_session_id=case.given.session_id,
        pane=case.pane,
        tmux=case.tmux,
    )
    if effort is None:
        return Answer(result=SessionStartResult(session_id=session.id))
    return _taken_up(case, session, effort)


def _effort(case: Case[SessionStartInput]) -> Effort | None:
    """The agent's own effort; for one without a name else the project's latest that nobody is at.

    A name says who somebody is and not where: what it had begun in another project is left there.
    """
    work, cwd = case.work, case.given.cwd
    own = work.efforts.of_agent(case.agent_id)
    if not case.named:
        return own or work.effort_for(cwd, None, case.given.session_id)
    here = own is not None and any(work.is_of(own, one) for one in (cwd, case.project_dir))
    return own if here else None


def _taken_up(case: Case[SessionStartInput], session: Session, effort: Effort) -> Answer:
    work = case.work
    skill = skill_of(case, effort.skill, anew=True)  # nobody tells of files that change between windows
    left = work.sessions.handover(effort.id)
    payload = payload_of(left)
    # What an agent asked its successor to read is named and not given: no rule has judged that reading.
    files = dict.fromkeys([*(skill.templates if skill else ()), *effort.discovered_directives])
    result = SessionStartResult(
        found=True,
        effort_id=effort.id,
        session_id=session.id,
        skill=effort.skill,
        phase=effort.current_phase,
        files_to_preload=tuple(files),
        dehydrated_context=left.dehydration_payload if left and payload else None,
        skill_config=_config(skill),
    )
    recovery = recovery_for(work, effort, session) if session.prev_session_id is not None else ""
    return Answer(result=result, context=_context(case, session, effort, result, recovery))


def _context(
    case: Case[SessionStartInput], session: Session, effort: Effort, result: SessionStartResult, recovery: str
) -> str:
    """Where the work stands, the files to read first, and what the window before left."""
    line = context_line(
        time=timestamp(case.work.clock()),
        session=session.id,
        skill=effort.skill,
        phase=effort.current_phase,
        beat=session.heartbeat_counter,
        block_after=case.block_after(effort),
    )
    project, task = case.project, case.work.tasks.get(effort.task_id)
    within = [task.dir_path]
    if project is not None:
        within = [project.path, task.dir_path, *skill_folders(project, case.means.skill_folders)]
    preloads = read_preloads(result.files_to_preload, within=within, most=case.rules.preload_bytes)
    read = [one.path for one in preloads if one.content is not None and not one.left_out]
    if read:
        case.work.sessions.add_preloaded(session.id, read)
    return joined([line, files_block(preloads), recovery])


def _config(skill: Skill | None) -> dict[str, object] | None:
    if skill is None:
        return None
    named = {_camel(name): value for name, value in msgspec.to_builtins(skill).items()}
    return {name: value for name, value in named.items() if name not in _OWN}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def user_prompt(case: Case[UserPromptInput]) -> Answer:
    """Reads, and says that the agent is at work; changes nothing else."""
    case.work.agents.seen(
        case.agent_id,
        label=case.label,
        host_session_id=case.given.session_id,
        pane=case.pane,
        tmux=case.tmux,
    )
    case.mark("working")
    session, effort, task = case.session, case.effort, case.task
    if session is None or effort is None or task is None:
        return Answer(result=UserPromptResult(session_id=session.id if session else None))
    most = case.block_after(effort)
    line = context_line(
        time=timestamp(case.work.clock()),
        session=session.id,
        skill=effort.skill,
        phase=effort.current_phase,
        beat=session.heartbeat_counter,
        block_after=most,
    )
    result = UserPromptResult(
        session_context=line,
        effort_id=effort.id,
        session_id=session.id,
        task_dir=task.dir_path,
        skill=effort.skill,
        phase=effort.current_phase,
        heartbeat=f"{session.heartbeat_counter}/{most}",
    )
    return Answer(result=result, context=line)


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
