"""Handlers of notifications, sub-agents, teammates, finished tasks and changed skills."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from interlock.features.work.event_context import Answer, EventContext
from interlock.features.work.messages import take_in, transcript_of
from interlock.features.work.records import Agent, Effort
from interlock.features.work.recovery_text import join_parts
from interlock.features.work.store import NoticeKind
from interlock.store.clock import timestamp

# The others only report: somebody signed in, a dialog was answered, an agent in the background is done.
WAITING: Final = frozenset(
    {"permission_prompt", "idle_prompt", "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input"}
)


def notification(context: EventContext) -> Answer:
    """An agent that waits for somebody says so."""
    if context.text("notification_type") not in WAITING:
        return Answer()
    updated = context.mark("attention")
    text = context.text("message") or context.text("title") or "it waits for you"
    context.announce(NoticeKind.ATTENTION, text)
    return Answer(result={"agentUpdated": updated})


_COMPLETED = "completedTasks"  # in an effort's metadata
_MOST_COMPLETED = 200


def task_completed(context: EventContext) -> Answer:
    """Kept among the messages and with the effort; told twice, it is kept once."""
    effort = context.effort
    stored = effort.metadata.get(_COMPLETED) if effort else None
    completed = (
        [earlier for earlier in stored if isinstance(earlier, dict)] if isinstance(stored, list) else []
    )
    number, subject, teammate = map(context.text, ("task_id", "task_subject", "teammate_name"))
    task = [number, subject, teammate or None]
    if any(
        [earlier.get("taskId"), earlier.get("taskSubject"), earlier.get("teammateName")] == task
        for earlier in completed
    ):
        return Answer()
    item = {"taskId": number, "taskSubject": subject}
    if teammate:
        item |= {"teammateName": teammate, "teamName": context.text("team_name")}
    logged = context.note(context.session, {"event": "task_completed", **item})
    if effort is not None:
        newest = [*completed, {**item, "at": timestamp(context.work.clock())}][-_MOST_COMPLETED:]
        context.work.efforts.set_metadata(effort.id, {**effort.metadata, _COMPLETED: newest})
    return Answer(result={"messageLogged": logged, "effortUpdated": effort is not None})


_SKILLS = "skills"


def config_change(context: EventContext) -> Answer:
    """What is known of the skills is forgotten when they changed; settings are none of our business."""
    project = context.ids.project_id
    folders = PurePath(context.text("file_path")).parts
    if project is None or (context.text("source") != _SKILLS and _SKILLS not in folders):
        return Answer()
    return Answer(result={"skillsForgotten": context.work.skills.forget(project)})


def subagent_start(context: EventContext) -> Answer:
    """A session of its own beside its parent's, which goes on; nothing where the parent has no effort."""
    work = context.work
    parent = work.sessions.open_of(context.event.session_id)
    if parent is None or parent.effort_id is None:
        return Answer()
    effort = work.efforts.get(parent.effort_id)
    session = work.sessions.start(
        host=parent.host,
        host_session_id=context.event.session_id,
        agent_id=context.event.agent_id,
        effort=effort,
        transcript_path=transcript_of(context) or None,
    )
    skill = work.skills.get(context.ids.project_id, effort.skill)
    templates = skill.templates if skill else ()
    template = next((path for path in templates if "LOG" in PurePath(path).name.upper()), None)
    result = {
        "sessionId": session.id,
        "effortId": effort.id,
        "logTemplate": template,
        "directives": effort.discovered_directives,
        "effortMetadata": effort.metadata,
    }
    return Answer(result=result, context=_context(context, effort, template))


def _context(context: EventContext, effort: Effort, template: str | None) -> str:
    phase = f", phase `{effort.current_phase}`" if effort.current_phase else ""
    first = (
        f"[Effort] You work for effort {effort.name} (`{effort.skill}`{phase}). Write down what you find "
        f'with `{context.program} effort log "…"` at least every {context.block_after(effort)} tool calls.'
    )
    read = "\n".join(f"- {path}" for path in effort.discovered_directives)
    return join_parts(
        [
            first,
            f"Log entries look like those in `{template}`." if template else None,
            f"Directives that hold here:\n{read}" if read else None,
        ]
    )


KEY = "loadedFiles"  # in an effort's metadata
_MOST = 500


def subagent_stop(context: EventContext) -> Answer:
    """End its session and no other; its files go to the effort it shared with its parent."""
    work = context.work
    session = work.sessions.open_of(context.event.session_id, context.event.agent_id)
    if session is None:
        return Answer()
    take_in(context, session, context.text("agent_transcript_path"))
    work.sessions.end(session.id, "subagent_stop")
    if session.effort_id is None or not session.loaded_files:
        return Answer(result={"sessionEnded": True})
    effort = work.efforts.get(session.effort_id)
    stored = effort.metadata.get(KEY)
    files = [path for path in stored if isinstance(path, str)] if isinstance(stored, list) else []
    new = [path for path in session.loaded_files if path not in files]
    work.efforts.set_metadata(effort.id, {**effort.metadata, KEY: [*files, *new][-_MOST:]})
    return Answer(result={"sessionEnded": True, "mergedFiles": tuple(new)})


_RULE = "teammate-idle"


def teammate_idle(context: EventContext) -> Answer:
    """The teammate is done, and whoever coordinates it is told after its next call."""
    work, name, team = context.work, context.text("teammate_name"), context.text("team_name")
    # A named agent that reports itself is meant too.
    teammate = work.agents.find_by_name(name) or (context.agent if context.named else None)
    updated = teammate is not None and work.agents.set_status(teammate.id, "done")
    coordinator = _find_coordinator(context, teammate, (name, team))
    session = work.sessions.open_of(coordinator.host_session_id or "") if coordinator else None
    if session is not None:
        notice = {"ruleId": _RULE, "content": f"`{name}` of the team `{team}` is idle: give it work."}
        if notice not in session.pending_injections:
            work.sessions.set_pending(session.id, [*session.pending_injections, notice])
    content = {"event": "teammate_idle", "teammateName": name, "teamName": team}
    logged = context.note(context.session, content)
    return Answer(
        result={"agentUpdated": updated, "coordinatorSignaled": session is not None, "messageLogged": logged}
    )


def _find_coordinator(context: EventContext, teammate: Agent | None, names: tuple[str, ...]) -> Agent | None:
    """Who was said to manage a teammate or its team, else its parent."""
    agents = context.work.agents
    declared = context.rules.coordinator_of([*names, *([teammate.id] if teammate else [])])
    if declared is not None:
        return agents.find_by_name(declared)
    return agents.coordinator_of(teammate, names) if teammate is not None else None
