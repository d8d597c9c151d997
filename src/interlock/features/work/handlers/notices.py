"""`hooks.notification`, `taskCompleted` and `configChange`: what a host tells of beside the work."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from interlock.features.work.agents import AgentNotice, NoticeKind
from interlock.features.work.event_context import Answer, EventContext
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
    context.services.announce(
        AgentNotice(
            kind=NoticeKind.ATTENTION,
            agent=context.agent_id,
            label=context.label,
            session_id=context.event.session_id,
            text=context.services.redact(
                context.text("message") or context.text("title") or "it waits for you"
            ),  # it may leave the machine
            notify=context.rules.notify,
        )
    )
    return Answer(result={"agentUpdated": updated})


KEY = "completedTasks"  # in an effort's metadata
_MOST = 200


def task_completed(context: EventContext) -> Answer:
    """Kept among the messages and with the effort; told twice, it is kept once."""
    effort = context.effort
    known = effort.metadata.get(KEY) if effort else None
    done = [one for one in known if isinstance(one, dict)] if isinstance(known, list) else []
    number, subject, teammate = map(context.text, ("task_id", "task_subject", "teammate_name"))
    same = [number, subject, teammate or None]
    if any([one.get("taskId"), one.get("taskSubject"), one.get("teammateName")] == same for one in done):
        return Answer()
    item = {"taskId": number, "taskSubject": subject}
    if teammate:
        item |= {"teammateName": teammate, "teamName": context.text("team_name")}
    logged = context.note(context.session, {"event": "task_completed", **item})
    if effort is not None:
        kept = [*done, {**item, "at": timestamp(context.work.clock())}][-_MOST:]
        context.work.efforts.set_metadata(effort.id, {**effort.metadata, KEY: kept})
    return Answer(result={"messageLogged": logged, "effortUpdated": effort is not None})


_SKILLS = "skills"


def config_change(context: EventContext) -> Answer:
    """What is known of the skills is forgotten when they changed; settings are none of our business."""
    project = context.ids.project_id
    named = PurePath(context.text("file_path")).parts
    if project is None or (context.text("source") != _SKILLS and _SKILLS not in named):
        return Answer()
    return Answer(result={"skillsForgotten": context.work.skills.forget(project)})
