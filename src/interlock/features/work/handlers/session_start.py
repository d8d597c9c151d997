"""`hooks.sessionStart`: a window opens, and goes on with the effort its agent was at."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import SessionStartInput
from interlock.features.work.preloads import read_preloads
from interlock.features.work.recovery_text import context_line, files_block, joined
from interlock.features.work.restart import payload_of, recovery_for
from interlock.features.work.results import SessionStartResult
from interlock.features.work.skills.cache import skill_folders, skill_of
from interlock.features.work.tables.records import Effort, Session, Skill
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
