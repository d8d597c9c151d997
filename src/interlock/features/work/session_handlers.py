"""Handlers of what happens to a context window: its start, its prompts, its stops and its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from interlock.features.work.event_context import Answer, EventContext
from interlock.features.work.messages import take_in
from interlock.features.work.records import Effort, Session, Skill
from interlock.features.work.recovery_text import (
    context_line,
    files_block,
    join_parts,
    payload_of,
    read_preloads,
    recovery_for,
    restart_of,
)
from interlock.features.work.sessions import COMPACTION
from interlock.features.work.skills import skill_folders, skill_of
from interlock.features.work.store import NoticeKind
from interlock.features.work.transcript import Exhaustion, exhaustion_in, exhaustion_of
from interlock.store.clock import timestamp

_OWN: Final = ("id", "projectId", "updatedAt")  # of the row, and nobody else's business


def session_start(context: EventContext) -> Answer:
    """Always a new session; what the one before left behind is in its first context."""
    effort = _effort(context)
    context.services.usage.note_model(context.transcript_path, context.text("model"))
    session = context.work.sessions.start(
        host=context.event.host,
        host_session_id=context.event.session_id,
        effort=effort,
        transcript_path=context.transcript_path or None,
    )
    if effort is not None and (context.agent is None or context.agent.effort_id != effort.id):
        context.work.agents.clear_effort(effort.id)  # only one agent works on an effort: this one
    _note_agent(context, effort)
    if effort is None:
        return Answer(result={"sessionId": session.id})
    return _take_up(context, session, effort)


def _note_agent(context: EventContext, effort: Effort | None = None) -> None:
    context.work.agents.register(
        context.agent_id,
        label=context.label,
        effort_id=effort.id if effort else None,
        host_session_id=context.event.session_id,
        pane=context.text("tmux_pane") or None,
        tmux=context.text("tmux") or None,
    )


def _line(context: EventContext, session: Session, effort: Effort) -> str:
    now, block_after = timestamp(context.work.clock()), context.block_after(effort)
    return context_line(session, effort, time=now, block_after=block_after)


def _effort(context: EventContext) -> Effort | None:
    """The agent's own effort; for one without a name else the project's latest that nobody is at.

    A name says who somebody is and not where: what it had begun in another project is left there.
    """
    work, cwd = context.work, context.event.cwd
    effort = work.efforts.of_agent(context.agent_id)
    if not context.named:
        return effort or work.effort_for(cwd, None, context.event.session_id)
    here = effort is not None and any(work.is_of(effort, folder) for folder in (cwd, context.event.project))
    return effort if here else None


def _take_up(context: EventContext, session: Session, effort: Effort) -> Answer:
    work = context.work
    skill = skill_of(context, effort.skill, reread=True)  # nobody tells of files that change between windows
    handover = work.sessions.handover(effort.id)
    payload = payload_of(handover)
    # What an agent asked its successor to read is named and not given: no rule has judged that reading.
    files = dict.fromkeys([*(skill.templates if skill else ()), *effort.discovered_directives])
    result = {
        "found": True,
        "effortId": effort.id,
        "sessionId": session.id,
        "skill": effort.skill,
        "phase": effort.current_phase,
        "filesToPreload": tuple(files),
        "dehydratedContext": handover.dehydration_payload if handover and payload else None,
        "skillConfig": _config(skill),
    }
    recovery = recovery_for(work, effort, session) if session.prev_session_id is not None else ""
    return Answer(result=result, context=_context(context, session, effort, files, recovery))


def _context(
    context: EventContext, session: Session, effort: Effort, files: Iterable[str], recovery: str
) -> str:
    """Where the work stands, the files to read first, and what the window before left."""
    line = _line(context, session, effort)
    project, task = context.project, context.work.tasks.get(effort.task_id)
    within = [task.dir_path]
    if project is not None:
        within = [project.path, task.dir_path, *skill_folders(project, context.services.skill_folders)]
    preloads = read_preloads(files, within=within, most=context.rules.preload_bytes)
    read = [preload.path for preload in preloads if preload.content is not None and not preload.left_out]
    if read:
        context.work.sessions.add_preloaded(session.id, read)
    return join_parts([line, files_block(preloads), recovery])


def _config(skill: Skill | None) -> dict[str, object] | None:
    if skill is None:
        return None
    return {name: value for name, value in msgspec.to_builtins(skill).items() if name not in _OWN}


def user_prompt(context: EventContext) -> Answer:
    """Reads, and says that the agent is at work; changes nothing else."""
    _note_agent(context)
    context.mark("working")
    session, effort, task = context.session, context.effort, context.task
    if session is None or effort is None or task is None:
        return Answer(result={"sessionId": session.id if session else None})
    most = context.block_after(effort)
    line = _line(context, session, effort)
    result = {
        "sessionContext": line,
        "effortId": effort.id,
        "sessionId": session.id,
        "taskDir": task.dir_path,
        "skill": effort.skill,
        "phase": effort.current_phase,
        "heartbeat": f"{session.heartbeat_counter}/{most}",
    }
    return Answer(result=result, context=line)


AUTO = "auto"


def pre_compact(context: EventContext) -> Answer:
    """End the session and write what the next one is started with; too late to dehydrate anything.

    Only where the host does it by itself: a person who compacts goes on in the same session.
    """
    session = context.session
    if context.text("trigger") != AUTO:
        return Answer()
    prompt = restart_of(context)
    if session is not None:
        take_in(context, session, context.transcript_path)
        if prompt is not None:
            context.work.sessions.set_restart(session.id, prompt)
        context.work.sessions.end(session.id, COMPACTION)
    killed = (
        context.rules.kill_on_compaction
        and context.effort is not None
        and context.services.end_host(context.event.session_id)
    )
    return Answer(result={"sessionEnded": session is not None, "restartPrompt": prompt, "killed": killed})


_WORDS = {
    Exhaustion.RATE_LIMIT: "it hit a rate limit and waits",
    Exhaustion.CONTEXT: "its context window is full; `interlock watch` would restart it",
}


def stop(context: EventContext) -> Answer:
    """The agent is done, unless something ran out: then it did not stop by itself, and people are told."""
    # One that was handed over has ended, but what was said in the rest of the turn is still its own.
    session = context.session or context.work.sessions.last_of(context.event.session_id)
    take_in(context, session, context.transcript_path)
    ran_out = exhaustion_in(context.transcript_path) if context.transcript_path else None
    if ran_out is None and context.turn_failed:
        ran_out = exhaustion_of(context.text("last_assistant_message"))
    updated = context.mark("error" if ran_out or context.turn_failed else "done")
    if ran_out is not None:
        if context.session is not None and ran_out is Exhaustion.CONTEXT:
            context.work.sessions.set_restart(context.session.id, restart_of(context))
        context.announce(NoticeKind.EXHAUSTED, _WORDS[ran_out])
    return Answer(result={"agentUpdated": updated, "exhaustion": ran_out and str(ran_out)})


def session_end(context: EventContext) -> Answer:
    """End the session if it has not ended yet; the agent is done, and people are told."""
    session, reason = context.session, context.text("reason")
    if session is not None:
        take_in(context, session, context.transcript_path)
        context.work.sessions.end_all(context.event.session_id, reason or None)
    updated = context.mark("done")
    if session is not None or updated:
        context.announce(NoticeKind.ENDED, f"the session has ended ({reason or 'no reason given'})")
    return Answer(result={"sessionEnded": session is not None, "agentUpdated": updated})
